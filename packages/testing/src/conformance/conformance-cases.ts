import { acceptedCases } from './cases/accepted-cases.ts';
import { answerCases } from './cases/answer-cases.ts';
import { keyCases } from './cases/key-cases.ts';
import { refusedCases } from './cases/refused-cases.ts';
import { tokenCases } from './cases/token-cases.ts';
import { unnamedFieldCases } from './cases/unnamed-field-cases.ts';
import type { ConformanceCase } from './conformance-case.ts';

/**
 * Every answer that the interface document promises, as data, in the order in which they are tried.
 *
 * What it does not show is not among them: statuses, bodies of answers, unknown fields, other methods and versions,
 * whether an update may be repeated.
 */
export const conformanceCases: readonly ConformanceCase[] = [
  ...keyCases,
  ...tokenCases,
  ...acceptedCases,
  ...answerCases,
  ...refusedCases,
  ...unnamedFieldCases,
];
