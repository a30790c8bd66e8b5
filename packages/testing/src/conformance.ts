export {
  type ConformanceCase,
  type ConformanceContext,
  type ConformanceExpectation,
  type ConformanceNeed,
  type ConformanceRequest,
  type ConformanceStrength,
  conformanceCases,
} from './conformance/cases.ts';
export type { ConformanceOptions } from './conformance/options.ts';
export {
  type ConformanceActual,
  type ConformanceReport,
  type ConformanceResult,
  type ConformanceVerdict,
  type FormatConformanceOptions,
  formatConformance,
} from './conformance/report.ts';
export { type ConformanceTest, registerConformance, runConformance } from './conformance/run.ts';
