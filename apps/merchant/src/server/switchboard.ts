import type { MockOrderService } from '@orders/testing';
import type { SwitchboardSetting, SwitchboardView } from '../contract/switchboard-view.ts';
import type { EventHub } from './event-hub.ts';
import { switchboardFaults } from './switchboard-faults.ts';
import { beginOutage, type Outage } from './switchboard-outage.ts';
import { takeTurns } from './take-turns.ts';

export interface SwitchboardOptions {
  /** The desk's own order service; undefined where it talks to another, which cannot be made to fail. */
  readonly service: Pick<MockOrderService, 'url' | 'faults'> | undefined;
  readonly hub: Pick<EventHub, 'publish'>;
  /** Ends an outage when the desk ends. @default never fires */
  readonly signal?: AbortSignal;
}

/** What makes the order service fail, and what it is set to. */
export interface Switchboard {
  view(): SwitchboardView;
  /**
   * Sets it and tells everyone who listens; resolves when it holds for every update sent from then on. Undefined where
   * nothing can be set.
   */
  set(setting: SwitchboardSetting): Promise<SwitchboardView | undefined>;
}

/** All is well at first. */
export function createSwitchboard({ service, hub, signal }: SwitchboardOptions): Switchboard {
  let setting: SwitchboardSetting = { trouble: 'none', percent: 100 };
  let outage: Outage | undefined;
  // An outage that begins must not meet one that ends.
  const inTurn = takeTurns();
  const view = (): SwitchboardView => ({ available: service !== undefined, setting });

  const change = async (
    { url, faults }: Pick<MockOrderService, 'url' | 'faults'>,
    next: SwitchboardSetting,
  ) => {
    faults.clear();
    await outage?.end();
    for (const rule of switchboardFaults(next)) faults.add(rule);
    outage =
      next.trouble === 'down'
        ? await beginOutage({ url, signal: signal ?? new AbortController().signal })
        : undefined;
    setting = next;
    hub.publish({ type: 'passing', event: { kind: 'switchboard_changed', switchboard: view() } });
    return view();
  };

  return {
    view,
    async set(next) {
      return service && inTurn(() => change(service, next));
    },
  };
}
