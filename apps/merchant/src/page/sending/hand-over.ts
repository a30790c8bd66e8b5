import type { Explanation } from '@orders/schema';
import { UpdateReport } from '../../contract/update-report.ts';
import type { UpdateView } from '../../contract/update-view.ts';
import { postUpdate } from '../api/orders.ts';
import { DeskProblem } from '../api/request.ts';

/** What became of handing an update to the desk. */
export type HandOver =
  | { readonly kind: 'accepted'; readonly update: UpdateView }
  /** The desk's own rules found something that the page's did not. */
  | { readonly kind: 'refused'; readonly issues: readonly Explanation[] }
  /** The desk did not take it, and says why. */
  | { readonly kind: 'failed'; readonly message: string }
  /** No answer came, however often it was asked: it may have taken it. */
  | { readonly kind: 'lost' };

export interface HandOverOptions {
  readonly token: string;
  readonly id: string;
  readonly update: unknown;
  /** Called each time an answer was lost and the desk is asked again. */
  readonly onAskAgain: () => void;
}

/** How long to wait before each further question, in milliseconds. */
const pausesMs = [300, 900, 2000];

/** Hands an update to the desk. A lost answer is asked for again with the same id, which the desk accepts once. */
export async function handOver(options: HandOverOptions): Promise<HandOver> {
  const { token, id, update, onAskAgain } = options;
  for (const pauseMs of [...pausesMs, undefined]) {
    try {
      return { kind: 'accepted', update: await postUpdate(token, { id, update }) };
    } catch (problem) {
      const refusal = readRefusal(problem);
      if (refusal) return refusal;
    }
    if (pauseMs === undefined) break;
    onAskAgain();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { kind: 'lost' };
}

/** Undefined when the problem leaves open whether the desk took the update. */
function readRefusal(problem: unknown): HandOver | undefined {
  if (!(problem instanceof DeskProblem)) throw problem;
  if (problem.status < 400 || problem.status >= 500) return undefined;
  const { data } = UpdateReport.safeParse(problem.body);
  const issues = data?.error?.issues;
  return issues?.length ? { kind: 'refused', issues } : { kind: 'failed', message: problem.message };
}
