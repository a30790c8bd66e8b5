export type { FileLock } from './file-lock.ts';
export { lockFolder, type PgliteDatabase, pgliteStore } from './pglite-store.ts';
