import type {
  ConformanceCase,
  ConformanceContext,
  ConformanceExpectation,
  ConformanceNeed,
  ConformanceSection,
  ConformanceStrength,
} from '../conformance-case.ts';
import { updateWith } from '../requests.ts';

/** What sets one update apart from the plain one. */
export interface BodyCase {
  readonly id: string;
  readonly title: string;
  readonly source: ConformanceSection;
  readonly strength: ConformanceStrength;
  /** What it needs beside an order. @default nothing */
  readonly needs?: readonly ConformanceNeed[];
  /** What the body holds beside the plain cart, or in place of it. */
  readonly fields: (context: ConformanceContext) => Readonly<Record<string, unknown>>;
}

/** An update whose body the document allows. */
export function accepted(body: BodyCase): ConformanceCase {
  return bodyCase(body, { outcome: 'accepted' });
}

/** An update whose body breaks one rule of the document, and no other. */
export function refused(body: BodyCase): ConformanceCase {
  return bodyCase(body, { outcome: 'refused' });
}

function bodyCase(
  { id, title, source, strength, needs = [], fields }: BodyCase,
  expect: ConformanceExpectation,
): ConformanceCase {
  return {
    id,
    title,
    source,
    strength,
    // What should be refused may be taken.
    changes: 'order',
    needs: ['orderToken', ...needs],
    baseline: 'update',
    request: updateWith(fields),
    expect,
  };
}

/** A text that no run before has sent, of letters, digits and hyphens, so that it does not matter what a character is. */
export function longText(length: number, { runId }: ConformanceContext): string {
  return `conformance-${runId}-`.padEnd(length, 'x');
}

/** A field's name as part of a case's id. */
export function idOf(field: string): string {
  return field.replaceAll('_', '-');
}
