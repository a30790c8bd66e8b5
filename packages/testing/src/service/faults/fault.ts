/** What can be made to go wrong, by the place where it happens; the answers' faults follow the usual judgement. */
export interface FaultsByPlace {
  /** As soon as a connection is accepted, before any request. */
  readonly accept: ResetOnAcceptFault;
  /** Once the head of a request is read. */
  readonly head: ResetBeforeBodyFault | ResetOnReuseFault;
  /** Once the body is read and the update applied or not: instead of an answer. */
  readonly body:
    | ResetBeforeApplyingFault
    | ResetAfterApplyingFault
    | StalledHeadersFault
    | GarbageFault
    | RestartFault;
  /** In answering, after the same. */
  readonly answer:
    | StatusFault
    | RedirectFault
    | EmptyFault
    | NoContentFault
    | InvalidJsonFault
    | WrongMediaTypeFault
    | LatencyFault
    | StalledBodyFault
    | SlowDripFault
    | TruncationFault
    | OversizeFault
    | GzipBombFault
    | CloseAfterAnswerFault;
  /** The request is served as usual. */
  readonly nowhere: NoneFault;
}

/**
 * One thing that goes wrong with one request, or one connection: a plain object of JSON that says by `fault` what it is.
 *
 * `applied` says whether an update is applied; each kind has a default. A request that would be refused changes nothing
 * either way. Where the usual answer is sent although `applied` is false, it reads as if the update had been applied.
 */
export type Fault = FaultsByPlace[keyof FaultsByPlace];

/**
 * A response with another status, such as `{ fault: 'status', status: 429, headers: { 'retry-after': '2' } }`. The client
 * retries an update after a 429; a 5xx, with `Retry-After` or without, makes its outcome `unknown`.
 */
export interface StatusFault {
  readonly fault: 'status';
  /** From 200 to 999. */
  readonly status: number;
  /** Laid over `content-type: application/json` and `content-length`. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as given. @default with a 2xx the usual body, else an error with the code `fault_scripted` */
  readonly body?: string;
  /** @default true with a 2xx, else false */
  readonly applied?: boolean;
}

/** An answer that sends the client elsewhere. */
interface RedirectFault {
  readonly fault: 'redirect';
  /** @default 307 */
  readonly status?: 301 | 302 | 303 | 307 | 308;
  /** Where to: absolute or relative. @default '/v2/moved', where the journal shows who followed */
  readonly location?: string;
  /** @default false */
  readonly applied?: boolean;
}

/** A 200 with `content-type: application/json` and no body. */
interface EmptyFault {
  readonly fault: 'empty';
  /** @default true */
  readonly applied?: boolean;
}

/** A 204. */
interface NoContentFault {
  readonly fault: 'no_content';
  /** @default true */
  readonly applied?: boolean;
}

/** A 200 of type JSON whose body is not JSON. */
interface InvalidJsonFault {
  readonly fault: 'invalid_json';
  /** @default '{"token":' */
  readonly body?: string;
  /** @default true */
  readonly applied?: boolean;
}

/** A 200 of another type, as from a proxy that answers in the service's place. */
interface WrongMediaTypeFault {
  readonly fault: 'wrong_media_type';
  /** @default 'text/html; charset=utf-8' */
  readonly mediaType?: string;
  /** @default a page that asks to sign in */
  readonly body?: string;
  /** @default false */
  readonly applied?: boolean;
}

/** The usual answer, held back. */
interface LatencyFault {
  readonly fault: 'latency';
  /** Milliseconds, on top of the service's `latencyMs`; an update is applied before the wait. */
  readonly ms: number;
  /** @default true */
  readonly applied?: boolean;
}

/** The request is read and nothing is ever answered; the connection stays open. */
interface StalledHeadersFault {
  readonly fault: 'stalled_headers';
  /** @default true */
  readonly applied?: boolean;
}

/** The head and the beginning of the usual answer, then nothing more; the connection stays open. */
interface StalledBodyFault {
  readonly fault: 'stalled_body';
  /** Bytes of the body that are sent, at most all but one. @default half of them */
  readonly sentBytes?: number;
  /** @default true */
  readonly applied?: boolean;
}

/** The usual answer, its body byte by byte. */
interface SlowDripFault {
  readonly fault: 'slow_drip';
  /** Milliseconds from byte to byte. @default 10 */
  readonly intervalMs?: number;
  /** @default true */
  readonly applied?: boolean;
}

/** The beginning of the usual answer with the `content-length` of all of it, then the end of the connection (FIN). */
interface TruncationFault {
  readonly fault: 'truncation';
  /** Bytes of the body that are sent, at most all but one. @default half of them */
  readonly sentBytes?: number;
  /** @default true */
  readonly applied?: boolean;
}

/** The usual answer, behind so many blanks that it is far too large: valid JSON all the same. */
interface OversizeFault {
  readonly fault: 'oversize';
  /** Size of the body. @default 16_777_216 */
  readonly bytes?: number;
  /** Sent in chunks, so that no `content-length` warns of it. @default false */
  readonly chunked?: boolean;
  /** @default true */
  readonly applied?: boolean;
}

/** The same with `content-encoding: gzip`, whatever was accepted: about a thousandth of its size on the wire. */
interface GzipBombFault {
  readonly fault: 'gzip_bomb';
  /** Size of the body once expanded. @default 268_435_456 */
  readonly bytes?: number;
  /** @default true */
  readonly applied?: boolean;
}

/** The usual answer, which promises keep-alive, and at once the end of the connection (FIN). */
interface CloseAfterAnswerFault {
  readonly fault: 'close_after_answer';
  /** @default true */
  readonly applied?: boolean;
}

/** Bytes that are not HTTP, then the end of the connection (FIN). */
interface GarbageFault {
  readonly fault: 'garbage';
  /** One byte a character (Latin-1). @default the greeting of another protocol */
  readonly text?: string;
  /** @default false */
  readonly applied?: boolean;
}

/** The connection is reset (RST) as soon as it is accepted; takes no filter, since there is no request yet. */
interface ResetOnAcceptFault {
  readonly fault: 'reset_on_accept';
  readonly applied?: false;
}

/** The connection is reset (RST) once the head of the request is read; its body is not. */
interface ResetBeforeBodyFault {
  readonly fault: 'reset_before_body';
  readonly applied?: false;
}

/**
 * The same, to a request on a connection that has carried one before: a keep-alive connection that was given up between
 * two calls, and whose end the client could not know yet. It waits for such a request.
 */
interface ResetOnReuseFault {
  readonly fault: 'reset_on_reuse';
  readonly applied?: false;
}

/** The connection is reset (RST) once the request is read; its update is not applied. */
interface ResetBeforeApplyingFault {
  readonly fault: 'reset_before_applying';
  readonly applied?: false;
}

/** The connection is reset (RST) once the update is applied: the client cannot know. */
interface ResetAfterApplyingFault {
  readonly fault: 'reset_after_applying';
  readonly applied?: true;
}

/**
 * The service goes down in mid-call: every connection ends, connecting is refused for a while, then it listens again
 * on the same port with everything it knew.
 */
interface RestartFault {
  readonly fault: 'restart';
  /** Milliseconds for which nothing listens. @default 100 */
  readonly downMs?: number;
  /** @default false */
  readonly applied?: boolean;
}

/** Nothing goes wrong: lets a request pass in a list of faults, or spares one from a rule of later turn. */
interface NoneFault {
  readonly fault: 'none';
}
