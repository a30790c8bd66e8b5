import type { ConformanceFetch } from './conformance-fetch.ts';
import type { ConformanceResult } from './conformance-report.ts';

/** Names of the fields that the interface document describes without naming (interface document, Order). */
export interface ConformanceNames {
  /** Names of the two free-form strings. @default their cases are skipped */
  readonly metadata?: readonly [string] | readonly [string, string];
  /** Name of the total order amount. @default its cases are skipped */
  readonly totalAmount?: string;
  /** Name of the V.A.T. amount. @default its cases are skipped */
  readonly vatAmount?: string;
  /** Name of the session identifier of a QR payment. @default its case is skipped */
  readonly qrSessionId?: string;
}

/** Which service is asked, and what may be done with it. */
export interface ConformanceOptions {
  /** Base URL, what comes before `/v2`; https, but for loopback. */
  readonly baseUrl: string;
  /** A key of type `SalesChannelApiKey`; never shown. */
  readonly apiKey: string;
  /** The token of an order that can be updated. @default cases that need one are skipped */
  readonly orderToken?: string;
  /**
   * Whether that order may be changed for good: its cart, its `order_id` and all else.
   * @default false: no request that could change it is sent, and such cases are skipped
   */
  readonly disposable?: boolean;
  /** A key of another type than `SalesChannelApiKey`; never shown. @default its case is skipped */
  readonly otherTypeKey?: string;
  /** Names that the document does not show. @default cases that need one are skipped */
  readonly names?: ConformanceNames;
  /** A currency that the service takes, since the document does not list them. @default its case is skipped */
  readonly currency?: string;
  /** An address that the service takes, since the document does not show its fields. @default its case is skipped */
  readonly shippingAddress?: Readonly<Record<string, unknown>>;
  /** Ids of the only cases to try. @default all */
  readonly only?: readonly string[];
  /** Ids of cases to skip. @default none */
  readonly skip?: readonly string[];
  /** How long each request may take until its answer is read, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
  /** Ends the run, which then rejects with the signal's reason. @default it runs to its end */
  readonly signal?: AbortSignal;
  /** Called with each result as it is found. @default nothing is called */
  readonly onResult?: (result: ConformanceResult, progress: ConformanceProgress) => void;
  /** Sends the requests, such as through a proxy; it must follow no redirect. @default the global `fetch` */
  readonly fetch?: ConformanceFetch;
  /** Lets the keys travel over plain http to another machine. @default false */
  readonly allowInsecureHttp?: boolean;
}

/** How far a run is. */
export interface ConformanceProgress {
  readonly done: number;
  readonly total: number;
}
