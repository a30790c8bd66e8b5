import { type FolderIdentity, type OutboxStore, quoteName, rowsOf, type Sql } from './store.ts';
import { encode } from './updates.ts';

/**
 * Sends to review what was open when a backup was made: whether it was sent or handled since, only its order shows.
 * Resolves with how many updates and events.
 */
export async function reviewRestored(tx: Sql, schema: string): Promise<number> {
  const message = encode(
    'It was open in a backup that was restored, or in a folder that was copied, and may have been done since: look at the order, then decide.',
  );
  const updates = await rowsOf(
    tx,
    `update ${schema}.updates set state = 'needs_review', needs_decision = true, claim = null, due_at = null, held_by = null,
       settled_at = clock_timestamp(), code = 'restored', message = $1, changed = pg_current_xact_id()
     where open and state in ('queued', 'sending') returning 1`,
    [message],
  );
  const events = await rowsOf(
    tx,
    `update ${schema}.events set state = 'needs_review', message = $1 where state = 'queued' returning 1`,
    [message],
  );
  // What it remembers of updates that were refused with the key would be queued again.
  await tx.query(`update ${schema}.limits set data = null, until = '-infinity' where name = 'service'`);
  return updates.length + events.length;
}

/** Sends to review what is open where a folder is a copy, or was restored, since it was open last. It is noted in its tables. */
export async function reviewCopy(
  { identity, transaction, place }: OutboxStore,
  name: string,
  warn: (message: string) => void,
): Promise<void> {
  if (!identity) return;
  const schema = quoteName(name);
  const count = await transaction(async (tx) => {
    const [last] = await rowsOf<{ data: string }>(
      tx,
      `select data from ${schema}.limits where name = 'folder' for update`,
    );
    const data = JSON.stringify(identity);
    if (last?.data === data) return 0;
    await tx.query(
      `insert into ${schema}.limits (name, data) values ('folder', $1) on conflict (name) do update set data = excluded.data`,
      [data],
    );
    return last && isCopy(JSON.parse(last.data), identity) ? reviewRestored(tx, schema) : 0;
  });
  if (count > 0)
    warn(
      `${place} is a copy of another folder, or was restored from one: ${count} updates and events that were open need review (restored), so that nothing is sent twice.`,
    );
}

/** A folder that was moved keeps its files, except where another disk has files with the same numbers. */
function isCopy(last: FolderIdentity, now: FolderIdentity): boolean {
  const isMoved = last.path !== now.path && last.device !== now.device;
  // ext4 gives the numbers of files that were deleted to those that are made next.
  const isMadeAnew = last.bornAt !== now.bornAt && ![last.bornAt, now.bornAt].includes('0');
  return isMoved || isMadeAnew || String(last.files) !== String(now.files);
}
