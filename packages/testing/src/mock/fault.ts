import { validateHeaderName, validateHeaderValue } from 'node:http';
import { checkOptions } from '@orders/schema/check-options';
import { z } from 'zod';
import { freezeDeep } from './freeze-deep.ts';

/** A longer timer would fire at once. */
const milliseconds = z.int().min(0).max(2_147_483_647);
const byteCount = z.int().min(0);
const sentBytes = byteCount.optional();
const applied = z.boolean().optional();
const notApplied = z.literal(false).optional();
const headerValue = z
  .string()
  .refine((value) => doesNotThrow(() => validateHeaderValue('x', value)), 'not a header value');
const headerName = z
  .string()
  .refine((name) => doesNotThrow(() => validateHeaderName(name)), 'not a header name')
  // Node throws for the first where a response has no chunks.
  .refine((name) => !/^(?:trailer|transfer-encoding)$/i.test(name), 'belongs to the connection');

const FaultSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(200).max(999),
    headers: z.record(headerName, headerValue).optional(),
    body: z.string().optional(),
    applied,
  }),
  z.strictObject({
    type: z.literal('redirect'),
    status: z.literal([301, 302, 303, 307, 308]).optional(),
    location: headerValue.optional(),
    applied,
  }),
  z.strictObject({ type: z.literal('empty'), applied }),
  z.strictObject({ type: z.literal('no_content'), applied }),
  z.strictObject({ type: z.literal('invalid_json'), body: z.string().optional(), applied }),
  z.strictObject({
    type: z.literal('wrong_media_type'),
    mediaType: headerValue.optional(),
    body: z.string().optional(),
    applied,
  }),
  z.strictObject({ type: z.literal('latency'), ms: milliseconds, applied }),
  z.strictObject({ type: z.literal('stalled_headers'), applied }),
  z.strictObject({ type: z.literal('stalled_body'), sentBytes, applied }),
  z.strictObject({ type: z.literal('slow_drip'), intervalMs: milliseconds.optional(), applied }),
  z.strictObject({ type: z.literal('truncation'), sentBytes, applied }),
  z.strictObject({
    type: z.literal('oversize'),
    bytes: byteCount.optional(),
    chunked: z.boolean().optional(),
    applied,
  }),
  z.strictObject({ type: z.literal('gzip_bomb'), bytes: byteCount.optional(), applied }),
  z.strictObject({ type: z.literal('close_after_response'), applied }),
  z.strictObject({ type: z.literal('garbage'), text: z.string().optional(), applied }),
  z.strictObject({ type: z.literal('restart'), downMs: milliseconds.optional(), applied }),
  z.strictObject({ type: z.literal('reset_on_accept'), applied: notApplied }),
  z.strictObject({ type: z.literal('reset_before_body'), applied: notApplied }),
  z.strictObject({ type: z.literal('reset_on_reuse'), applied: notApplied }),
  z.strictObject({ type: z.literal('reset_before_applying'), applied: notApplied }),
  z.strictObject({ type: z.literal('reset_after_applying'), applied: z.literal(true).optional() }),
  z.strictObject({ type: z.literal('connection_refused'), downMs: milliseconds.optional() }),
  z.strictObject({ type: z.literal('none') }),
]);

/**
 * One failure of one request or connection, as plain JSON. `type` names it; `applied` overrides whether the update is
 * applied (default in parentheses). A request that would be rejected anyway is never applied.
 *
 * Other responses:
 * - `status` (applied if 2xx): `status` 200-999, `headers`, `body` (default: the usual body for a 2xx, else a JSON error).
 * - `redirect` (not applied): `status` (307) to `location` (`/v2/moved`).
 * - `empty`, `no_content` (applied): a 200 without a body, a 204.
 * - `invalid_json` (applied): a 200 of type JSON with `body` (`{"token":`).
 * - `wrong_media_type` (not applied): a 200 of `mediaType` (HTML) with `body` (a sign-in page), as from a proxy.
 *
 * The usual response, delivered badly (applied):
 * - `latency`: `ms` later, on top of the service's `latencyMs`.
 * - `slow_drip`: a byte every `intervalMs` (10).
 * - `stalled_headers`: nothing is sent; the connection stays open.
 * - `stalled_body`, `truncation`: `sentBytes` of the body (half), then nothing more, or the end of the connection (FIN).
 * - `oversize`: padded to `bytes` (16 MiB), `chunked` (false) for no Content-Length.
 * - `gzip_bomb`: `bytes` (256 MiB) when decompressed, about a thousandth on the wire.
 * - `close_after_response`: the connection ends (FIN) although keep-alive was promised.
 *
 * Connections:
 * - `reset_on_accept`: RST for a new connection, before any request. Takes no filter.
 * - `reset_before_body`, `reset_before_applying` (not applied): RST after the headers, after the body.
 * - `reset_on_reuse` (not applied): RST after the headers of a request on a connection that carried one before.
 * - `reset_after_applying` (applied): RST after the update was applied.
 * - `garbage` (not applied): `text` that is not HTTP (an SSH greeting), then FIN.
 * - `restart` (not applied): all connections end, nothing listens for `downMs` (100), then the service is back.
 * - `connection_refused`: nothing listens, from now on: by `next` for `downMs` (3,000), by `always` until `clear()`.
 *   Takes no filter. On Linux, the system gives its port to no other server meanwhile.
 * - `none`: no fault; lets a request pass in a list.
 */
export type Fault = z.infer<typeof FaultSchema>;

/**
 * Faults by name, for wherever a fault is accepted: `service.faults.next('lostResponse')`. Each says what `@orders/client`
 * reports with its defaults.
 */
export const scenarios = {
  /** The response comes after 2 s. Applied; the call succeeds, or is `unknown` if its timeout is shorter. */
  slow: { type: 'latency', ms: 2_000 },
  /** 429 with `Retry-After: 1`. Not applied; retried after 1 s, and `rejected` when all attempts met it. */
  rateLimited: { type: 'status', status: 429, headers: { 'retry-after': '1' } },
  /** 503. Not applied, but the client cannot know: `unknown`, not retried. */
  unavailable: { type: 'status', status: 503 },
  /** Applied, then the connection is reset: `unknown`, not retried. */
  lostResponse: { type: 'reset_after_applying' },
  /**
   * Nothing listens, for 3 s by `next`, until `clear()` by `always`: `not_sent`, retried. Only a call that at once uses a
   * connection from before, whose end it cannot know yet, is `unknown`.
   */
  down: { type: 'connection_refused' },
} as const satisfies Readonly<Record<string, Fault>>;

/** The name of a fault in `scenarios`. */
export type Scenario = keyof typeof scenarios;

const schemas = new Map<unknown, (typeof FaultSchema.options)[number]>(
  FaultSchema.options.map((option) => [option.shape.type.value, option]),
);

/** Returns a frozen copy. Throws a `TypeError` that says what to write instead. */
export function readFault(given: unknown): Fault {
  const value: unknown = scenarioOf(given) ?? given;
  const type = Object(value).type;
  const schema = schemas.get(type);
  if (schema === undefined) throw unknownFault(given);
  checkOptions(`The fault ${type}`, value, Object.keys(schema.shape));
  return freezeDeep(parseWith<Fault>(schema, value, `The fault ${type}`));
}

function unknownFault(given: unknown): TypeError {
  if (schemas.has(given))
    return new TypeError(`"${given}" is a type of fault: give ${JSON.stringify({ type: given })}.`);
  const names = Object.keys(scenarios).join(', ');
  if (typeof given === 'string')
    return new TypeError(`There is no scenario ${JSON.stringify(given)}. Known: ${names}; or give { type }.`);
  const { type } = Object(given);
  if (scenarioOf(type))
    return new TypeError(`"${type}" is a scenario: give its name alone, without { type }.`);
  const types = [...schemas.keys()].join(', ');
  return new TypeError(`A fault is a scenario (${names}) or an object whose "type" is one of: ${types}.`);
}

function scenarioOf(given: unknown): Fault | undefined {
  return typeof given === 'string' && Object.hasOwn(scenarios, given)
    ? scenarios[given as Scenario]
    : undefined;
}

/** Throws a `TypeError` that begins with `place` and says what is wrong with the first field that is. */
export function parseWith<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw new TypeError(`${place}: ${[...(issue?.path ?? []), issue?.message].join(': ')}.`);
}

const notAppliedByDefault: ReadonlySet<Fault['type']> = new Set([
  'redirect',
  'wrong_media_type',
  'garbage',
  'restart',
  'reset_on_accept',
  'reset_before_body',
  'reset_on_reuse',
  'reset_before_applying',
  'connection_refused',
]);

/** Whether an update that meets this fault is applied, provided that it would be without one. */
export function appliesUpdate(fault: Fault): boolean {
  if ('applied' in fault && fault.applied !== undefined) return fault.applied;
  return fault.type === 'status' ? fault.status < 300 : !notAppliedByDefault.has(fault.type);
}

function doesNotThrow(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}
