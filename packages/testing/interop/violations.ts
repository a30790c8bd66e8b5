import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What Prism holds against a request or an answer. */
export interface Violation {
  readonly location: readonly string[];
  readonly severity: string;
  readonly code: string | number;
  readonly message: string;
}

/** The header that Prism tells of violations in; it is left out when there are none. */
const header = 'sl-violations';

export function violationsOf({ headers }: Pick<Response, 'headers'>): readonly Violation[] {
  return JSON.parse(headers.get(header) ?? '[]');
}

/** Places in the body, such as `cart/items/0`; what is said of the request as a whole has none, for example of no body. */
export function placesOf(violations: readonly Violation[]): readonly string[] {
  return violations.map(({ location }) => location.join('/').replace(/^request(\/body\/?)?/, ''));
}

export interface Watched<Value> {
  readonly value: Value;
  /** Answers that came meanwhile. */
  readonly answers: number;
  readonly violations: readonly Violation[];
}

/** Looks into every answer of an origin while our client runs, which does not show the headers of a success. */
export async function watchAnswers<Value>(
  origin: string,
  run: () => Promise<Value>,
): Promise<Watched<Value>> {
  const violations: Violation[] = [];
  let answers = 0;
  const listen = (message: unknown): void => {
    const { request, response } = message as UndiciAnswer;
    if (request.origin !== origin) return;
    answers += 1;
    const texts = response.headers.map(String);
    const place = texts.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === header);
    if (place >= 0) violations.push(...JSON.parse(texts[place + 1] ?? '[]'));
  };
  subscribe('undici:request:headers', listen);
  try {
    return { value: await run(), answers, violations };
  } finally {
    unsubscribe('undici:request:headers', listen);
  }
}

/** What undici publishes when the head of an answer has arrived: names and values take turns. */
interface UndiciAnswer {
  readonly request: { readonly origin: string };
  readonly response: { readonly headers: readonly Buffer[] };
}
