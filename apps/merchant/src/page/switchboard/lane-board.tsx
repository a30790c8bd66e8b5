import './lanes.css';
import type { OrderSummary } from '../../contract/order-view.ts';
import { orderTitle } from '../orders/order-title.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { LaneRow } from './lane-row.tsx';
import type { LaneUpdate } from './lanes.ts';
import { useLanes } from './use-lanes.ts';

const words = switchboardWords.lanes;
/** Lanes that stand there even when nothing happens in them: as many as a burst may fill. */
const maxStanding = 8;
const empty: readonly LaneUpdate[] = [];

/** What happens now, one lane for each order. */
export function LaneBoard({ orders }: { readonly orders: readonly OrderSummary[] }) {
  const { lanes, isPending, isError } = useLanes();
  const standing = orders.slice(0, maxStanding).map(({ token }) => token);
  const tokens = [...new Set([...standing, ...lanes.keys()])];
  const names = new Map(orders.map(({ token, orderId }) => [token, orderId]));
  return (
    <section className="board-section" aria-labelledby="lanes-title">
      <div className="board-head">
        <h2 className="board-title" id="lanes-title">
          {words.title}
        </h2>
        <p className="board-help">{isError ? words.failed : words.help}</p>
      </div>
      {tokens.length === 0 ? (
        <div className="board-notice">
          <strong>{words.none.title}</strong>
          <p>{words.none.text}</p>
        </div>
      ) : (
        <>
          <div className="lanes-legend" aria-hidden="true">
            <span>{words.done}</span>
            <span>{words.now}</span>
            <span>{words.next}</span>
          </div>
          <ul className="lanes" aria-busy={isPending}>
            {tokens.map((token) => (
              <LaneRow
                key={token}
                title={orderTitle({ token, orderId: names.get(token) ?? null })}
                lane={lanes.get(token) ?? empty}
                isKnown={!(isPending || isError)}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
