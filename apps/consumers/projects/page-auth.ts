/** A page that calls with a key of its own. */
import { encodeKey } from './use-auth.ts';

Object.assign(globalThis, { page: { encodeKey } });
