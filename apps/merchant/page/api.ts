import { QueryClient, queryOptions } from '@tanstack/react-query';
import { DetailedError, hc, type InferResponseType, parseResponse } from 'hono/client';
import type { AppType } from '../server/app.ts';
import type { ApiErrorBody, RowsChoice } from '../shared/api.ts';

/** A response may never come, and the next refetch waits for it. */
const timeoutMs = 10_000;

export const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { signal: AbortSignal.timeout(timeoutMs), ...init });

/** For requests that may take long: the upload of a bulk file, and those that queue or discard many updates. */
export const withoutTimeout: RequestInit = { signal: null };

const { api } = hc<AppType>('/', { fetch: fetchInTime });

export { api, parseResponse };

export type OrderDetail = InferResponseType<(typeof api.orders)[':token']['$get']>;
export type OrderSummary = InferResponseType<typeof api.orders.$get>['orders'][number];
export type UpdateView = OrderDetail['updates'][number];
export type UpdateState = UpdateView['state'];
export type HeldView = NonNullable<UpdateView['heldBy']>;
export type StatusView = InferResponseType<typeof api.status.$get>;
export type WebhookView = StatusView['webhooks'][number];
export type BulkSummary = InferResponseType<typeof api.bulks.$get>['bulks'][number];
export type BulkView = BulkPage['bulk'];
export type BulkRowView = BulkPage['rows'][number];
type BulkPage = InferResponseType<(typeof api.bulks)[':id']['$get']>;

/** When what could not be loaded is requested again, in milliseconds: no event may come that does it. */
const againMs = 5_000;

/** Queries stay fresh until the event stream invalidates them. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      retry: 1,
      refetchInterval: ({ state: { error } }) => error !== null && !isRefused(error) && againMs,
      networkMode: 'always',
      // The page before stays until the next one is there.
      placeholderData: (previous: unknown) => previous,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Where a page of a list begins; without `after`, at its start. */
export interface PageStart {
  readonly after?: string;
}

export const ordersQuery = (page: PageStart & { readonly search?: string }) =>
  queryOptions({
    queryKey: ['orders', page],
    queryFn: () => parseResponse(api.orders.$get({ query: page })),
  });

/** An order with its latest updates, so many. */
export const orderQuery = (token: string, updates: number) =>
  queryOptions({
    queryKey: ['order', token, updates],
    queryFn: () => {
      const request = { param: { token }, query: { updates: String(updates) } };
      return parseResponse(api.orders[':token'].$get(request));
    },
  });

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => parseResponse(api.status.$get()),
});

/** The updates that need review, or those that were rejected. */
export const reviewQuery = (state: 'needs_review' | 'rejected', page: PageStart) =>
  queryOptions({
    queryKey: ['updates', state, page],
    queryFn: () => parseResponse(api.updates.$get({ query: { state, ...page } })),
  });

/** One update, with its body while it may still be sent. */
export const updateQuery = (id: string) =>
  queryOptions({
    queryKey: ['update', id],
    queryFn: () => parseResponse(api.updates[':id'].$get({ param: { id } })),
  });

export const bulksQuery = (page: PageStart) =>
  queryOptions({
    queryKey: ['bulks', page],
    queryFn: () => parseResponse(api.bulks.$get({ query: page })),
  });

export const bulkQuery = (id: string, page: PageStart & { readonly state?: string }) =>
  queryOptions({
    queryKey: ['bulk', id, page],
    queryFn: () => {
      const request = { param: { id }, query: page };
      return parseResponse(api.bulks[':id'].$get(request));
    },
  });

/** The error of a response, or of a request that got none. */
export function describeError(error: unknown): Partial<ApiErrorBody['error']> & { message: string } {
  const body: Partial<ApiErrorBody> | undefined =
    error instanceof DetailedError ? error.detail?.data : undefined;
  return body?.error ?? { message: 'The server of this app cannot be reached. Try again.' };
}

/** Whether the same request would get the same response again. */
const isRefused = (error: unknown): boolean =>
  error instanceof DetailedError && (error.statusCode ?? 500) < 500;

export const isNotFound = (error: unknown): boolean =>
  error instanceof DetailedError && error.statusCode === 404;

/** A random UUID, on an `http:` page of another machine too, where `crypto.randomUUID` is missing. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Uploads a bulk file, and how it is to be read; the body is the file as it is. */
export function uploadBulk(upload: {
  readonly file: File;
  /** How many decimals amounts have. */
  readonly decimals: string;
  readonly rows: RowsChoice;
}) {
  const { file, decimals, rows } = upload;
  // The server refuses types that a form of another site can post, such as that of a text file.
  const headers = { 'content-type': 'application/octet-stream' };
  const request = { query: { name: file.name, decimals, rows } };
  return parseResponse(api.bulks.$post(request, { headers, init: { ...withoutTimeout, body: file } }));
}
