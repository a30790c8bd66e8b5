import type { Answer } from './answer.ts';
import type { ConformanceActual } from './conformance-report.ts';
import type { ScrubSecrets } from './scrub-secrets.ts';

const LONGEST = 160;

/** Something that the service said, fit for a report: one line, no secret, nothing that moves a terminal's cursor. */
export function quoteService(text: string, scrub: ScrubSecrets): string {
  const oneLine = scrub(text)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  // Joining lines may have made a secret that was not there before.
  const clean = scrub(oneLine);
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST - 1).toWellFormed()}…` : clean;
}

/** The body of an answer in the same way; JSON is written anew, so that no escape hides a secret. */
export function quoteBody(text: string, scrub: ScrubSecrets): string {
  try {
    return quoteService(JSON.stringify(JSON.parse(text)), scrub);
  } catch {
    return quoteService(text, scrub);
  }
}

/** An answer, fit for a report. */
export function quoteAnswer(
  { status, mediaType, location, text, isWhole }: Answer,
  scrub: ScrubSecrets,
): ConformanceActual {
  return {
    status,
    ...(mediaType === undefined ? {} : { mediaType: quoteService(mediaType, scrub) }),
    ...(location === undefined ? {} : { location: quoteService(location, scrub) }),
    // The end of what is not whole could be a part of a key, which nothing recognises.
    ...(text === '' || !isWhole ? {} : { excerpt: quoteBody(text, scrub) }),
  };
}
