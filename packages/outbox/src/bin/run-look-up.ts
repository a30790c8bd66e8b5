import { CommandFailure } from './command-failure.ts';
import { drawHistory, drawUpdate } from './draw-updates.ts';
import type { Operations } from './operations.ts';
import { jsonLine, type Screen } from './screen.ts';

/** Shows one update. @throws CommandFailure when the outbox does not know it. */
export async function showUpdate(
  operations: Operations,
  { id, asJson }: { readonly id: string; readonly asJson: boolean },
  screen: Screen,
): Promise<void> {
  const update = await operations.show(id);
  if (!update) throw new CommandFailure(`unknown_update: the outbox does not know ${id}, or no longer.`);
  screen.print(asJson ? jsonLine(update) : drawUpdate(update, screen.paint));
}

/** Shows the latest updates of an order. */
export async function showHistory(
  operations: Operations,
  { token, limit, asJson }: { readonly token: string; readonly limit: number; readonly asJson: boolean },
  screen: Screen,
): Promise<void> {
  const updates = await operations.history(token, limit);
  screen.print(asJson ? jsonLine(updates) : drawHistory(updates));
}
