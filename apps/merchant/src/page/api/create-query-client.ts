import { QueryClient } from '@tanstack/react-query';
import { DeskProblem } from './request.ts';

/** Keeps what the desk's server told. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events keep what was fetched up to date, and a new connection fetches it anew.
        staleTime: Number.POSITIVE_INFINITY,
        // The desk is on this machine or beside it: whether there is an internet does not matter.
        networkMode: 'always',
        retry: (failures, problem) => failures < 2 && isPassing(problem),
        retryDelay: 500,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

function isPassing(problem: Error): boolean {
  return problem instanceof DeskProblem && (problem.status === 0 || problem.status >= 500);
}
