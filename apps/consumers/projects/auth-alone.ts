/** A project that makes the header for an HTTP client of its own. */
import assert from 'node:assert/strict';
import { known } from './facts.ts';
import { encodeKey } from './use-auth.ts';

async function main(): Promise<void> {
  assert.equal(await encodeKey(known.key), known.authorization);
}

void main();
