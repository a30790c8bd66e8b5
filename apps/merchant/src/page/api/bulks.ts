import { useQuery } from '@tanstack/react-query';
import { BulkList, type BulkRowState, BulkRows, BulkView } from '../../contract/bulk-view.ts';
import type { Decision } from '../../contract/update-view.ts';
import type { DeskStream } from '../live/desk-stream.ts';
import { useDeskStream } from '../live/desk-stream-context.tsx';
import { jsonRequest, requestJson, requestNothing } from './request.ts';

/** Rows fetched at once. */
export const pageRows = 100;

/** The files of the desk, newest first. */
export function useBulks() {
  const stream = useDeskStream();
  return useQuery({
    queryKey: ['bulks'],
    queryFn: ({ signal }) =>
      fetchThenReplace(stream, () => requestJson(BulkList, '/api/bulks', { signal }), foldBulks),
  });
}

/** One file, with the number of its rows in each state. */
export function useBulk(id: string) {
  const stream = useDeskStream();
  return useQuery({
    queryKey: ['bulk', id],
    queryFn: ({ signal }) =>
      fetchThenReplace(
        stream,
        () => requestJson(BulkView, bulkPath(id), { signal }),
        (bulk, changed) => (changed.id === id ? changed : bulk),
      ),
  });
}

/** The files with one of them as it stands now; one that is not among them is new. */
export function foldBulks({ bulks }: BulkList, changed: BulkView): BulkList {
  const isKnown = bulks.some(({ id }) => id === changed.id);
  return {
    bulks: isKnown ? bulks.map((bulk) => (bulk.id === changed.id ? changed : bulk)) : [changed, ...bulks],
  };
}

/** An answer that was read before a change, and arrives after it, would undo it. */
async function fetchThenReplace<T>(
  stream: Pick<DeskStream, 'listen'>,
  fetch: () => Promise<T>,
  replace: (data: T, changed: BulkView) => T,
): Promise<T> {
  const heard: BulkView[] = [];
  const stop = stream.listen((message) => {
    if (message.type === 'passing' && message.event.kind === 'bulk_changed') heard.push(message.event.bulk);
  });
  try {
    return heard.reduce(replace, await fetch());
  } finally {
    stop();
  }
}

/** A page of the rows in one state, or of all. */
export function fetchRows(
  {
    id,
    state,
    page,
  }: { readonly id: string; readonly state: BulkRowState | undefined; readonly page: number },
  signal: AbortSignal,
): Promise<BulkRows> {
  const query = new URLSearchParams({ offset: String(page * pageRows), limit: String(pageRows) });
  if (state) query.set('state', state);
  return requestJson(BulkRows, `${bulkPath(id)}/rows?${query}`, { signal });
}

/** Hands a file to the desk, which reads it and sends nothing. @throws {DeskProblem} When it cannot be read at all. */
export async function postFile(file: File): Promise<BulkView> {
  return requestJson(BulkView, '/api/bulks', {
    method: 'POST',
    headers: {
      'content-type': await typeOf(file),
      'x-file-name': encodeURIComponent(file.name.toWellFormed()),
    },
    body: file,
  });
}

/** By its first sign, since systems tell the type of such files in many ways. */
async function typeOf(file: File): Promise<string> {
  const start = await file.slice(0, 4_096).text();
  return start.trimStart().startsWith('{') ? 'application/x-ndjson' : 'text/csv';
}

/** Begins to send, or goes on. */
export function startBulk(id: string): Promise<BulkView> {
  return requestJson(BulkView, `${bulkPath(id)}/start`, jsonRequest('POST', {}));
}

/** Sends nothing more; what is on its way ends. */
export function pauseBulk(id: string): Promise<BulkView> {
  return requestJson(BulkView, `${bulkPath(id)}/pause`, jsonRequest('POST', {}));
}

/** Chooses for every row of unknown outcome. */
export function decideBulk(id: string, decision: Decision): Promise<BulkView> {
  return requestJson(BulkView, `${bulkPath(id)}/decide`, jsonRequest('POST', { decision }));
}

/** Forgets a file and its rows. */
export function removeBulk(id: string): Promise<void> {
  return requestNothing(bulkPath(id), { method: 'DELETE' });
}

/** Where the result file is. */
export function resultHref(id: string, format: 'csv' | 'ndjson'): string {
  return `${bulkPath(id)}/result?format=${format}`;
}

function bulkPath(id: string): string {
  return `/api/bulks/${encodeURIComponent(id)}`;
}
