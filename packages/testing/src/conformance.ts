export type {
  ConformanceCase,
  ConformanceContext,
  ConformanceExpectation,
  ConformanceNeed,
  ConformanceRequest,
  ConformanceSection,
  ConformanceStrength,
} from './conformance/conformance-case.ts';
export { conformanceCases } from './conformance/conformance-cases.ts';
export type {
  ConformanceFetch,
  ConformanceFetchAnswer,
  ConformanceFetchInit,
} from './conformance/conformance-fetch.ts';
export type {
  ConformanceNames,
  ConformanceOptions,
  ConformanceProgress,
} from './conformance/conformance-options.ts';
export type {
  ConformanceActual,
  ConformanceReport,
  ConformanceResult,
  ConformanceVerdict,
} from './conformance/conformance-report.ts';
export { type FormatConformanceOptions, formatConformance } from './conformance/format-conformance.ts';
export { type ConformanceTest, registerConformance } from './conformance/register-conformance.ts';
export { runConformance } from './conformance/run-conformance.ts';
