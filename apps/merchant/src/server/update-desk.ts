import type { UpdateReport } from '../contract/update-report.ts';
import type { Decision, UpdateView } from '../contract/update-view.ts';
import type { AcceptedUpdate } from '../storage/desk-storage.ts';

/** Takes updates and sends them, at once or in their turn, and stores each step. */
export interface UpdateDesk {
  /**
   * Accepts an update that was checked, stores it, and sends it in the background. An id that is known already is
   * accepted as it stands and not sent again.
   */
  submit(update: AcceptedUpdate): Promise<UpdateView>;
  /**
   * Stores what a person chose, and sends again what is to be sent again. Undefined when there is nothing to choose
   * in the round, or no longer.
   */
  decide(id: string, decision: Decision, round?: number): Promise<UpdateView | undefined>;
  /** Resolves when the update is settled. @throws Error when there is none, or what became of it could not be stored. */
  settled(id: string): Promise<SettledUpdate>;
  /** Ends what is on its way and stores its outcome; a later update is refused. Further calls do nothing. */
  close(): Promise<void>;
}

/** An update of which it is known what became of it. */
export type SettledUpdate = UpdateView & { readonly report: UpdateReport };
