import type { UpdateView } from '../../contract/update-view.ts';
import { activityWords } from '../words/activity.ts';
import { outcomeWords } from '../words/outcomes.ts';

/** How an update stands, in a word: its state, or what a person chose for it. */
export function titleOf({ state, decision }: Pick<UpdateView, 'state' | 'decision'>): string {
  if (decision === 'discarded') return activityWords.discarded.title;
  if (decision === 'sent_again') return activityWords.sentAgain.title;
  return outcomeWords[state].title;
}
