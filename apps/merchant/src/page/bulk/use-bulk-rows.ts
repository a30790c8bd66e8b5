import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import type { BulkRow, BulkRowState, BulkRows } from '../../contract/bulk-view.ts';
import { fetchRows, pageRows } from '../api/bulks.ts';

export interface ShownRows {
  /** The row at a place among those that fit; `undefined` while it is not there. */
  at(place: number): BulkRow | undefined;
  /** How many fit, as the server last said. */
  readonly total: number | undefined;
  readonly isError: boolean;
  retry(): void;
}

export interface ShownRange {
  readonly id: string;
  readonly state: BulkRowState | undefined;
  readonly first: number;
  readonly last: number;
}

/** The rows in view, fetched by page as they come into it. */
export function useBulkRows({ id, state, first, last }: ShownRange): ShownRows {
  const firstPage = Math.floor(first / pageRows);
  const lastPage = Math.floor(Math.max(first, last) / pageRows);
  const pages = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => firstPage + index);
  const results: UseQueryResult<BulkRows>[] = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['bulk-rows', id, state ?? 'all', page],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchRows({ id, state, page }, signal),
      // A page that was left is fetched anew when it is looked at again: it may have changed meanwhile.
      staleTime: 1_000,
    })),
  });
  return {
    at: (place) => results[Math.floor(place / pageRows) - firstPage]?.data?.rows[place % pageRows],
    total: results.find(({ data }) => data)?.data?.total,
    isError: results.some(({ isError }) => isError),
    retry: () => {
      for (const { isError, refetch } of results) if (isError) void refetch();
    },
  };
}
