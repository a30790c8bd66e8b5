import { createBulkStore } from '../storage/bulk-store.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';

/**
 * Tidies up what the last process left behind; call it before bulks are served. A row that may have left becomes
 * `unknown`, for a person to decide, and a bulk that ran is paused.
 */
export async function recoverBulks({ database }: Pick<DeskStorage, 'database'>): Promise<void> {
  await createBulkStore(database).recover();
}
