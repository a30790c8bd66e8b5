import { randomUUID } from 'node:crypto';
import { defineOrderUpdate, OrderToken } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { findKeyProblem } from '../service/key-ring.ts';
import type { ConformanceCase, ConformanceContext, ConformanceNeed } from './conformance-case.ts';
import { conformanceCases } from './conformance-cases.ts';
import type { ConformanceOptions } from './conformance-options.ts';
import type { ExchangeOptions } from './exchange.ts';
import { readBaseUrl } from './read-base-url.ts';
import { createScrubber } from './scrub-secrets.ts';

/** Options that can be used, with every default filled in. */
export interface ConformanceSettings extends ExchangeOptions {
  readonly baseUrl: string;
  readonly keys: { readonly key: string; readonly otherType: string | undefined };
  readonly isDisposable: boolean;
  readonly given: ReadonlySet<ConformanceNeed>;
  readonly context: ConformanceContext;
  /** In the order in which they are tried; those to skip are among them. */
  readonly cases: readonly ConformanceCase[];
  readonly skip: ReadonlySet<string>;
}

const optionNames: Readonly<Record<keyof ConformanceOptions, true>> = {
  baseUrl: true,
  apiKey: true,
  orderToken: true,
  disposable: true,
  otherTypeKey: true,
  names: true,
  currency: true,
  shippingAddress: true,
  only: true,
  skip: true,
  timeoutMs: true,
  signal: true,
  onResult: true,
  fetch: true,
  allowInsecureHttp: true,
};

/** @throws {TypeError} When an option is unknown or cannot be used; the message says what to give instead, and shows no key. */
export function readOptions(options: ConformanceOptions): ConformanceSettings {
  checkOptions('conformance', options, Object.keys(optionNames));
  const { apiKey, otherTypeKey, orderToken, names = {}, currency, shippingAddress } = options;
  const baseUrl = readBaseUrl(options.baseUrl, options.allowInsecureHttp ?? false);
  checkKey('apiKey', apiKey);
  if (otherTypeKey !== undefined) checkKey('otherTypeKey', otherTypeKey);
  if (otherTypeKey === apiKey) throw new TypeError('otherTypeKey is the same as apiKey.');
  if (orderToken !== undefined && !OrderToken.safeParse(orderToken).success) {
    throw new TypeError('orderToken is no token; give the one that the service generated.');
  }
  if (options.disposable && orderToken === undefined) {
    throw new TypeError('disposable says that an order may be changed; give its orderToken.');
  }
  if (currency === '') throw new TypeError('currency is empty; leave it out, or give a code such as EUR.');
  // Throws for a name that is empty, given twice, or documented already.
  defineOrderUpdate(names);

  const { only, skip = [] } = options;
  for (const [option, ids] of Object.entries({ only: only ?? [], skip })) checkIds(option, ids);

  const [firstMetadata, secondMetadata] = names.metadata ?? [];
  const { totalAmount, vatAmount, qrSessionId } = names;
  const named = { firstMetadata, secondMetadata, totalAmount, vatAmount, qrSessionId };
  const needs = { orderToken, otherTypeKey, currency, shippingAddress, ...named };
  const given = (Object.keys(needs) as ConformanceNeed[]).filter((need) => needs[need] !== undefined);
  const keys = otherTypeKey === undefined ? [apiKey] : [apiKey, otherTypeKey];

  return {
    baseUrl,
    keys: { key: apiKey, otherType: otherTypeKey },
    isDisposable: options.disposable ?? false,
    given: new Set(given),
    context: {
      runId: randomUUID(),
      orderToken: orderToken ?? '',
      currency: currency ?? '',
      shippingAddress: shippingAddress ?? {},
      firstMetadata: firstMetadata ?? '',
      secondMetadata: secondMetadata ?? '',
      totalAmount: totalAmount ?? '',
      vatAmount: vatAmount ?? '',
      qrSessionId: qrSessionId ?? '',
    },
    cases: only === undefined ? conformanceCases : conformanceCases.filter(({ id }) => only.includes(id)),
    skip: new Set(skip),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs: readTimeout(options.timeoutMs ?? 10_000),
    signal: options.signal,
    scrub: createScrubber({ keys, orderToken }),
  };
}

function checkKey(option: string, key: string): void {
  // An environment variable that is not set, where nobody checks types.
  if (typeof key !== 'string') throw new TypeError(`${option} is missing; give a key.`);
  const problem = findKeyProblem(key);
  if (problem !== undefined) throw new TypeError(`${option} ${problem}.`);
}

function checkIds(option: string, ids: readonly string[]): void {
  const unknown = ids.find((wanted) => !conformanceCases.some(({ id }) => id === wanted));
  if (unknown !== undefined) throw new TypeError(`${option}: there is no case ${JSON.stringify(unknown)}.`);
}

/** A longer timeout would fire at once. */
const LONGEST_TIMEOUT = 2_147_483_647;

function readTimeout(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= LONGEST_TIMEOUT) return value;
  throw new TypeError(
    `timeoutMs: ${value} cannot be used; give a whole number from 1 to ${LONGEST_TIMEOUT}.`,
  );
}
