/** A section of the interface document. */
export type ConformanceSection =
  | 'Authentication'
  | 'Cart'
  | 'Cart item'
  | 'Echo with private key'
  | 'Hooks'
  | 'Limits'
  | 'Order'
  | 'Update order'
  | 'What the service does';

/**
 * How plainly the document says it: `stated` is written as a rule (what is required, optional, limited or answered);
 * `implied` is read out of a type, an example, or a sentence that leaves the service's reaction open.
 */
export type ConformanceStrength = 'stated' | 'implied';

/** What a case can only be tried with, because the document does not show it. */
export type ConformanceNeed =
  | 'orderToken'
  | 'otherTypeKey'
  | 'currency'
  | 'shippingAddress'
  | 'firstMetadata'
  | 'secondMetadata'
  | 'totalAmount'
  | 'vatAmount'
  | 'qrSessionId';

/** What a request is made from; whatever the case needs is there, and what was not given is empty. */
export interface ConformanceContext
  extends Readonly<Record<Exclude<ConformanceNeed, 'otherTypeKey' | 'shippingAddress'>, string>> {
  /** Differs from run to run, for identifiers that must be new. */
  readonly runId: string;
  readonly shippingAddress: Readonly<Record<string, unknown>>;
}

/** A request as plain data, which holds no key. */
export interface ConformanceRequest {
  readonly method: 'GET' | 'PATCH';
  /** What follows the base URL, percent-encoded. */
  readonly path: string;
  /** Which key goes where in HTTP Basic; `key` is the key as user name with an empty password. */
  readonly authorization: 'key' | 'key_as_password' | 'unknown_key' | 'other_type_key' | 'none';
  /** The headers but for `Authorization`, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly text?: string;
}

/** What must hold of the answer: an acceptance is any 2xx, a refusal any 4xx that is about the request. */
export interface ConformanceExpectation {
  readonly outcome: 'accepted' | 'refused';
  /** What must hold of the body, where there is one: its media type, or that it is the JSON it says it is. */
  readonly body?: 'json_media_type' | 'json_text';
}

/** One answer that the interface document promises, and the request that asks for it. */
export interface ConformanceCase {
  /** Never changes its meaning. */
  readonly id: string;
  /** The promise, as a fact. */
  readonly title: string;
  /** Where the document says it. */
  readonly source: ConformanceSection;
  readonly strength: ConformanceStrength;
  /** `order`: the order may be another one afterwards, be it because the service takes what it should refuse. */
  readonly changes: 'nothing' | 'order';
  readonly needs: readonly ConformanceNeed[];
  /** The plain request that must be accepted before a refusal says anything. */
  readonly baseline: 'echo' | 'update';
  /** A request that has to be accepted first. */
  readonly before?: (context: ConformanceContext) => ConformanceRequest;
  readonly request: (context: ConformanceContext) => ConformanceRequest;
  readonly expect: ConformanceExpectation;
}
