// First, before anything fails without it.
import './node-version.ts';

export type { FileLock } from './file-lock.ts';
export { lockFolder, type PgliteDatabase, pgliteStore } from './pglite-store.ts';
