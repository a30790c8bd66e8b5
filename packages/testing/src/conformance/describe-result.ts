import type { ConformanceResult } from './conformance-report.ts';

/** What was expected, what came, and where the document says it, in two or three lines. */
export function describeResult(result: ConformanceResult): string {
  const { id, title, source, strength, expected, reason } = result;
  return [
    `${id}: ${title} (interface document, ${source}; ${strength})`,
    `  expected: ${expected}`,
    `  found:    ${describeActual(result)}`,
    ...(reason === undefined ? [] : [`  because:  ${reason}`]),
  ].join('\n');
}

function describeActual({ actual }: ConformanceResult): string {
  if (actual === undefined) return 'no answer to judge';
  const { status, mediaType = 'no media type', location, excerpt } = actual;
  const to = location === undefined ? '' : ` to ${location}`;
  const body = excerpt === undefined ? '' : `: ${excerpt}`;
  return `${status}${to}, ${mediaType}${body}`;
}
