import type { Fault, FaultsByPlace } from './fault.ts';
import {
  byteCount,
  type FieldCheck,
  flag,
  headers,
  headerValue,
  milliseconds,
  oneOf,
  required,
  text,
  whole,
} from './field-check.ts';

export type Place = keyof FaultsByPlace;

type PlaceOf<Kind> = { [At in Place]: Kind extends FaultsByPlace[At] ? At : never }[Place];

interface FaultKind<Kind extends Fault> {
  readonly place: PlaceOf<Kind>;
  /** Whether an update is applied when the fault does not say. */
  readonly applied: boolean;
  readonly fields: { readonly [Field in Exclude<keyof Kind, 'fault'>]-?: FieldCheck };
}

type FaultKinds = { readonly [Kind in Fault as Kind['fault']]: FaultKind<Kind> };

/** Every kind of fault: where it happens, whether an update is applied by default, and what its fields hold. */
export const FAULT_KINDS: FaultKinds = {
  reset_on_accept: { place: 'accept', applied: false, fields: { applied: oneOf(false) } },
  reset_before_body: { place: 'head', applied: false, fields: { applied: oneOf(false) } },
  reset_on_reuse: { place: 'head', applied: false, fields: { applied: oneOf(false) } },
  reset_before_applying: { place: 'body', applied: false, fields: { applied: oneOf(false) } },
  reset_after_applying: { place: 'body', applied: true, fields: { applied: oneOf(true) } },
  stalled_headers: { place: 'body', applied: true, fields: { applied: flag } },
  garbage: { place: 'body', applied: false, fields: { text, applied: flag } },
  restart: { place: 'body', applied: false, fields: { downMs: milliseconds, applied: flag } },
  status: {
    place: 'answer',
    applied: false,
    fields: { status: required(whole(200, 999)), headers, body: text, applied: flag },
  },
  redirect: {
    place: 'answer',
    applied: false,
    fields: { status: oneOf(301, 302, 303, 307, 308), location: headerValue, applied: flag },
  },
  empty: { place: 'answer', applied: true, fields: { applied: flag } },
  no_content: { place: 'answer', applied: true, fields: { applied: flag } },
  invalid_json: { place: 'answer', applied: true, fields: { body: text, applied: flag } },
  wrong_media_type: {
    place: 'answer',
    applied: false,
    fields: { mediaType: headerValue, body: text, applied: flag },
  },
  latency: { place: 'answer', applied: true, fields: { ms: required(milliseconds), applied: flag } },
  stalled_body: { place: 'answer', applied: true, fields: { sentBytes: byteCount, applied: flag } },
  slow_drip: { place: 'answer', applied: true, fields: { intervalMs: milliseconds, applied: flag } },
  truncation: { place: 'answer', applied: true, fields: { sentBytes: byteCount, applied: flag } },
  oversize: { place: 'answer', applied: true, fields: { bytes: byteCount, chunked: flag, applied: flag } },
  gzip_bomb: { place: 'answer', applied: true, fields: { bytes: byteCount, applied: flag } },
  close_after_answer: { place: 'answer', applied: true, fields: { applied: flag } },
  none: { place: 'nowhere', applied: true, fields: {} },
};

export function isAt<At extends Place>(place: At, fault: Fault | undefined): fault is FaultsByPlace[At] {
  return fault !== undefined && FAULT_KINDS[fault.fault].place === place;
}

/** Whether an update that meets this fault is applied, provided that it would be without one. */
export function appliesUpdate(fault: Fault): boolean {
  if ('applied' in fault && fault.applied !== undefined) return fault.applied;
  if (fault.fault === 'status') return fault.status < 300;
  return FAULT_KINDS[fault.fault].applied;
}
