import { buildUpdate } from '../workload/build-update.ts';

/** What the server answers to every update: one order, as a service may show it. */
export const fixedAnswer = {
  token: 'ord_000000000000000000000000',
  revision: 7,
  order: buildUpdate(2),
};
