import { QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { type ClientResponse, DetailedError, hc, parseResponse } from 'hono/client';
import type { JSONParsed } from 'hono/utils/types';
import { useEffect, useState } from 'react';
import type { AppType } from '../server/app.ts';
import type {
  ApiErrorBody,
  AttemptView,
  BulkList,
  BulkPage,
  BulkView,
  OrderDetail,
  OrderList,
  RowsChoice,
  StatusView,
  UpdateList,
  UpdateView,
} from '../shared/api.ts';
import { followEvents } from './event-stream.ts';

/** A response may never come, and the next refetch, waits for it. */
const timeoutMs = 10_000;

export const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { signal: AbortSignal.timeout(timeoutMs), ...init });

/** For requests that may take long: the upload of a bulk file, and those that queue or discard many updates. */
export const withoutTimeout: RequestInit = { signal: null };

const { api } = hc<AppType>('/', { fetch: fetchInTime });

export { api, parseResponse };

/** Queries stay fresh until the event stream invalidates them. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: 1, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

/**
 * The body of a success, with the type that the server gave it. `hono/client` types an optional field that is absent as
 * `undefined`, which JSON does not have.
 */
export async function read<View>(response: Promise<ClientResponse<JSONParsed<View>>>): Promise<View> {
  return (await parseResponse(response)) as View;
}

/** Where a page of a list begins; without `after`, at its start. */
export interface PageStart {
  readonly after?: string;
}

export const ordersQuery = (page: PageStart & { readonly search?: string }) =>
  queryOptions({
    queryKey: ['orders', page],
    queryFn: () => read<OrderList>(api.orders.$get({ query: page })),
    placeholderData: (previous) => previous,
  });

/** An order with its latest updates, so many. */
export const orderQuery = (token: string, updates: number) =>
  queryOptions({
    queryKey: ['order', token, updates],
    queryFn: () => {
      const request = { param: { token }, query: { updates: String(updates) } };
      return read<OrderDetail>(api.orders[':token'].$get(request));
    },
    placeholderData: (previous) => previous,
  });

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => read<StatusView>(api.status.$get()),
});

/** The updates that need review, or those that were rejected. */
export const reviewQuery = (states: 'needs_review' | 'rejected', page: PageStart) =>
  queryOptions({
    queryKey: ['updates', states, page],
    queryFn: () => read<UpdateList>(api.updates.$get({ query: { states, ...page } })),
    placeholderData: (previous) => previous,
  });

/** One update, with its body while it may still be sent. */
export const updateQuery = (id: string) =>
  queryOptions({
    queryKey: ['updates', id],
    queryFn: () => read<UpdateView>(api.updates[':id'].$get({ param: { id } })),
  });

export const bulksQuery = (page: PageStart) =>
  queryOptions({
    queryKey: ['bulks', page],
    queryFn: () => read<BulkList>(api.bulks.$get({ query: page })),
    placeholderData: (previous) => previous,
  });

export const bulkQuery = (id: string, page: PageStart & { readonly state?: string }) =>
  queryOptions({
    queryKey: ['bulks', id, page],
    queryFn: () => {
      const request = { param: { id }, query: page };
      return read<BulkPage>(api.bulks[':id'].$get(request));
    },
    placeholderData: (previous) => previous,
  });

/** The error of a response, or of a request that got none. */
export function describeError(error: unknown): Partial<ApiErrorBody['error']> & { message: string } {
  const body: Partial<ApiErrorBody> | undefined =
    error instanceof DetailedError ? error.detail?.data : undefined;
  return body?.error ?? { message: 'The server of this app cannot be reached. Try again.' };
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof DetailedError && error.statusCode === 404;

/** The least time between two rounds of requests that events cause. */
const pauseMs = 150;

/** Follows the event stream and refetches what changed. Returns whether it is connected. */
export function useEventStream(): boolean {
  const client = useQueryClient();
  const [isConnected, setConnected] = useState(true);
  useEffect(() => {
    const changed = new Map<string, readonly string[]>();
    let isRefetching = false;
    const refetch = async (...keys: (readonly string[])[]): Promise<void> => {
      for (const key of keys) changed.set(key.join(), key);
      if (isRefetching) return;
      isRefetching = true;
      // One round at a time: many events cause few requests, and the last event is never missed.
      while (changed.size > 0) {
        const round = [...changed.values()];
        changed.clear();
        await Promise.all(round.map((queryKey) => client.invalidateQueries({ queryKey })));
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      isRefetching = false;
    };

    return followEvents((message) => {
      if (message === 'lost') return setConnected(false);
      setConnected(true);
      if (message === 'connected' || message.everything) return void refetch([]);
      const { attempts, bulks, status } = message;
      client.setQueryData<AttemptView[]>(['attempts'], (known) => known && mergeAttempts(known, attempts));
      const tokens = new Set([...message.tokens, ...attempts.map(({ token }) => token)]);
      void refetch(
        ...[...tokens].map((token) => ['order', token]),
        ...(message.tokens.length > 0 ? [['orders'], ['updates']] : []),
        ...(bulks.length > 0 ? [['bulks']] : []),
        ...(status ? [['status']] : []),
      );
    });
  }, [client]);
  return isConnected;
}

/** An attempt is reported when it starts, and again when it ends. */
function mergeAttempts(known: AttemptView[], reported: readonly AttemptView[]): AttemptView[] {
  const byNumber = new Map([...known, ...reported].map((attempt) => [attempt.number, attempt]));
  return [...byNumber.values()].slice(-2_000);
}

/** A random UUID, on an `http:` page of another machine too, where `crypto.randomUUID` is missing. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Uploads a bulk file, and how it is to be read; the body is the file as it is. */
export async function uploadBulk({
  file,
  decimals,
  rows,
}: {
  readonly file: File;
  /** How many decimals amounts have. */
  readonly decimals: string;
  readonly rows: RowsChoice;
}): Promise<BulkView> {
  const request = { query: { name: file.name, decimals, rows } };
  // The server refuses types that a form of another site can post, such as that of a text file.
  const headers = { 'content-type': 'application/octet-stream' };
  return parseResponse(api.bulks.$post(request, { headers, init: { ...withoutTimeout, body: file } }));
}
