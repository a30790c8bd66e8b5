import { styleText } from 'node:util';
import { type Column, expectedIn } from './columns.ts';
import type { Case } from './context.ts';
import type { Result } from './suite.ts';

/** What came of the suite in one runtime, by the name of a case. */
export interface Run {
  readonly column: Column;
  readonly results: ReadonlyMap<string, Result>;
  /** Why the runtime did not come to its end. */
  readonly failure?: string;
}

type Mark = 'same' | 'marked' | 'failed';

const signs = { same: '✓', marked: '?', failed: '✗' };
const colours = { same: 'green', marked: 'yellow', failed: 'red' } as const;

/** A case in a runtime: told as over undici in Node, told as its `fetch` is known to, or otherwise. */
export function markOf(each: Case, { column, results }: Run): Mark {
  const told = results.get(each.name)?.told;
  if (told !== expectedIn(column, each)) return 'failed';
  return told === each.told ? 'same' : 'marked';
}

/** The table of cases by runtimes; the totals and what broke come after it. */
export function tableOf(cases: readonly Case[], runs: readonly Run[]): string {
  const wide = Math.max(...cases.map(({ name }) => name.length));
  const heads = runs.map(({ column }) => [column.runtime, column.entry] as const);
  const cell = (text: string, index: number): string =>
    text.padEnd(Math.max(...(heads[index] ?? []).map((word) => word.length)) + 1);
  const head = [0, 1].map((line) => heads.map((pair, index) => cell(pair[line] ?? '', index)).join(''));
  const rows = cases.map((each) => {
    const marks = runs.map((run, index) => {
      const mark = markOf(each, run);
      return styleText(colours[mark], cell(signs[mark], index));
    });
    return `${each.name.padEnd(wide)}  ${marks.join('')}`;
  });
  return [...head.map((line) => `${' '.repeat(wide)}  ${line}`), ...rows].join('\n');
}

/** What `fetch` cannot know, a line for each way that it is told otherwise. */
export function marksOf(cases: readonly Case[], runs: readonly Run[]): string[] {
  return cases.flatMap((each) => {
    const otherwise = new Map<string, string[]>();
    for (const run of runs.filter((run) => markOf(each, run) === 'marked')) {
      const told = expectedIn(run.column, each);
      otherwise.set(told, [...(otherwise.get(told) ?? []), run.column.runtime]);
    }
    return [...otherwise].map(
      ([told, names]) => `? ${each.name}: ${each.told}\n    in ${names.join(', ')}: ${told}`,
    );
  });
}

/** What was expected and what came, a paragraph for each failure. */
export function failuresOf(cases: readonly Case[], runs: readonly Run[]): string[] {
  return runs.flatMap((run) => {
    const { column, results, failure } = run;
    const where = `${column.runtime} ${column.entry}`;
    if (failure !== undefined) return [`✗ ${where}: ${failure}`];
    const failed = cases.filter((each) => markOf(each, run) === 'failed');
    return failed.map((each) => {
      const result = results.get(each.name);
      const came = result?.told ?? result?.broke ?? 'nothing';
      return `✗ ${where}, ${each.name}\n    expected: ${expectedIn(column, each)}\n    came: ${came}`;
    });
  });
}
