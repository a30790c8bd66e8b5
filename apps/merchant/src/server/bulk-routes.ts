import { randomUUID } from 'node:crypto';
import { sValidator } from '@hono/standard-validator';
import type { OrderUpdateSchema } from '@orders/schema';
import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { maxFileBytes, maxFileRows } from '../contract/bulk-limits.ts';
import { type BulkList, BulkRowState, type BulkRows, type BulkView } from '../contract/bulk-view.ts';
import { DecisionRequest } from '../contract/update-view.ts';
import type { BulkStore } from '../storage/bulk-store.ts';
import type { BulkDesk } from './bulk-desk.ts';
import { BulkFileError } from './bulk-file-error.ts';
import { type BulkFormat, type ReadRow, readBulkFile } from './bulk-read-file.ts';
import { writeResult } from './bulk-result-file.ts';
import { checkJson } from './check-json.ts';
import { limitBody } from './limit-body.ts';
import { refuse } from './refuse.ts';

/** How many bulks are listed. */
const maxListed = 50;

/** The longest name of a file that is kept, in characters. */
const maxNameLength = 200;

export interface BulkRoutesOptions {
  readonly store: BulkStore;
  readonly bulks: BulkDesk;
  /** What this desk lets through. */
  readonly schema: OrderUpdateSchema;
}

/** A whole number in the text of a query. */
const number = (minimum: number, maximum: number) =>
  z.pipe(
    z.pipe(
      z.string().check(z.regex(/^\d{1,9}$/)),
      z.transform((text) => Number(text)),
    ),
    z.number().check(z.gte(minimum), z.lte(maximum)),
  );

const RowsQuery = z.object({
  state: z.optional(BulkRowState),
  after: z.optional(number(0, maxFileRows)),
  offset: z.optional(number(0, maxFileRows)),
  limit: z.optional(number(1, 500)),
});

const ResultQuery = z.object({ format: z.enum(['csv', 'ndjson']) });

/** The JSON API under `/api/bulks`. */
export function bulkRoutes({
  store,
  bulks,
  schema,
}: BulkRoutesOptions): Hono<{ Variables: { bulk: BulkView } }> {
  const routes = new Hono<{ Variables: { bulk: BulkView } }>();

  routes.get('/', async (c) => c.json<BulkList>({ bulks: [...(await bulks.list(maxListed))] }));

  routes.post('/', async (c) => {
    const format = formatOf(c);
    if (!format)
      return refuse(c, 415, { code: 'unknown_format', message: 'Send text/csv or application/x-ndjson.' });
    const id = randomUUID();
    try {
      const rows: ReadRow[] = [];
      for await (const row of readBulkFile(bytesOf(c), { format, schema })) rows.push(row);
      await store.add({ id, name: nameOf(c) }, rows);
    } catch (error) {
      if (!(error instanceof BulkFileError)) throw error;
      const { code, message } = error;
      return refuse(c, code === 'too_large' ? 413 : 422, { code, message });
    }
    return tell(c, id, 201);
  });

  routes.use('/:id/*', limitBody(1024), async (c, next) => {
    const id = z.uuid().safeParse(c.req.param('id'));
    const bulk = id.success ? await bulks.find(id.data) : undefined;
    if (!bulk) return refuse(c, 404, { code: 'unknown_bulk', message: 'This desk knows no such bulk.' });
    c.set('bulk', bulk);
    return next();
  });

  routes.get('/:id', (c) => c.json<BulkView>(c.var.bulk));

  routes.get('/:id/rows', sValidator('query', RowsQuery), async (c) => {
    const { limit = 100, ...filter } = c.req.valid('query');
    return c.json<BulkRows>(await store.listRows(c.var.bulk.id, { ...filter, limit }));
  });

  routes.post('/:id/start', async (c) =>
    (await bulks.start(c.var.bulk.id))
      ? tell(c, c.var.bulk.id)
      : refuse(c, 409, {
          code: 'nothing_to_send',
          message: 'Nothing waits to be sent, or it is on its way.',
        }),
  );

  routes.post('/:id/pause', async (c) => {
    await bulks.pause(c.var.bulk.id);
    return tell(c, c.var.bulk.id);
  });

  routes.post('/:id/decide', checkJson(DecisionRequest), async (c) =>
    (await bulks.decide(c.var.bulk.id, c.req.valid('json').decision))
      ? tell(c, c.var.bulk.id)
      : refuse(c, 409, {
          code: 'nothing_to_decide',
          message: 'No row waits for a decision, or pause it first.',
        }),
  );

  routes.get('/:id/result', sValidator('query', ResultQuery), (c) => {
    const { format } = c.req.valid('query');
    c.header('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson');
    c.header('Content-Disposition', attachment(`${c.var.bulk.name.replace(/\.\w+$/, '')}-result.${format}`));
    return c.body(writeResult(store, c.var.bulk.id, format));
  });

  routes.delete('/:id', async (c) =>
    (await bulks.remove(c.var.bulk.id))
      ? c.body(null, 204)
      : refuse(c, 409, { code: 'on_its_way', message: 'Pause it before you remove it.' }),
  );

  /** How a bulk stands now. */
  async function tell(c: Context, id: string, status: 200 | 201 = 200): Promise<Response> {
    const bulk = await bulks.find(id);
    if (!bulk) return refuse(c, 404, { code: 'unknown_bulk', message: 'This desk knows no such bulk.' });
    return c.json<BulkView>(bulk, status);
  }
  return routes;
}

function formatOf(c: Context): BulkFormat | undefined {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'text/csv') return 'csv';
  return type === 'application/x-ndjson' ? 'ndjson' : undefined;
}

/** The bytes of the file as they come; one that says that it is too long is not begun. */
async function* bytesOf(c: Context): AsyncGenerator<Uint8Array, void, undefined> {
  if (Number(c.req.header('content-length') ?? 0) > maxFileBytes) {
    throw new BulkFileError('too_large', `A file has at most ${maxFileBytes / 1_048_576} MiB. Split it.`);
  }
  if (c.req.raw.body) yield* c.req.raw.body;
}

/** The name that the page gave, as far as it is one. */
function nameOf(c: Context): string {
  try {
    const name = decodeURIComponent(c.req.header('x-file-name') ?? '').replace(/[\p{Cc}\p{Cs}]/gu, '');
    return name.trim().slice(0, maxNameLength).toWellFormed() || 'updates';
  } catch {
    return 'updates';
  }
}

/** Names a file in ASCII for those who read no more, and in full (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replace(/[^\w. -]/g, '_');
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}
