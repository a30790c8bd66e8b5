import type { ImportName } from '../measure/measure-imports.ts';
import type { ServiceLoad } from '../measure/measure-service.ts';
import type { PeerName } from '../peers/peer-list.ts';
import type { ValidatorName } from '../validators/validator-list.ts';
import type { Spread } from './statistics.ts';
import type { TargetResult } from './targets.ts';

/** Everything that a run found, as it is written to a file. */
export interface BenchResult {
  /** The day of the run, in UTC. */
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly rounds: number;
  /** Requests in flight. */
  readonly concurrency: number;
  readonly carts: readonly CartResult[];
  readonly validation: readonly ValidationResult[];
  readonly imports: readonly ImportResult[];
  readonly stream: StreamResult;
  readonly service: readonly ServiceResult[];
  readonly targets: readonly TargetResult[];
}

export interface CartResult {
  readonly lines: number;
  /** Length of the request's body. */
  readonly bodyBytes: number;
  readonly peers: readonly PeerResult[];
}

export interface PeerResult {
  readonly name: PeerName;
  readonly label: string;
  readonly version: string;
  /** CPU time of the client for a request, in microseconds. */
  readonly cpuMicros: Spread;
  /** The same, as a multiple of `undici.request` in the same round. */
  readonly ratio: Spread;
  /** Requests in a second; the server may be what bounds it. */
  readonly perSecond: Spread;
  /** The most memory that the process had held by then, in bytes. */
  readonly peakBytes: number;
}

export interface ValidationResult {
  readonly name: ValidatorName;
  readonly label: string;
  readonly lines: number;
  /** CPU time for an update, in microseconds. */
  readonly cpuMicros: Spread;
  /** The same, as a multiple of classic zod in the same round. */
  readonly ratio: Spread;
}

export interface ImportResult {
  readonly name: ImportName;
  readonly cpuMs: Spread;
  /** As a multiple of the import of undici in the same round. */
  readonly ratio: Spread;
}

/** Updates in a second. */
export interface ServiceResult {
  /** Who sent. */
  readonly load: ServiceLoad;
  readonly perSecond: Spread;
  /** Of a bare server that only reads the body. */
  readonly barePerSecond: Spread;
  /** The first as a multiple of the second in the same round. */
  readonly ratio: Spread;
}

/** Memory in bytes after collection. */
export interface StreamResult {
  readonly updates: number;
  /** Heap and buffers over the start, at the worst tenth of the way. */
  readonly mostBytes: number;
  /** Of the heap, from the first tenth to the last. */
  readonly growthBytes: number;
}
