export { type FolderLock, lockFolder, type PgliteDatabase, pgliteStore } from './pglite-store.ts';
