import './activity.css';
import type { OrderView } from '../../contract/order-view.ts';
import { Icon } from '../icon.tsx';
import { readLiveUpdate } from '../live/fold-update.ts';
import { activityWords } from '../words/activity.ts';
import { activityId } from './activity-id.ts';
import { QrPanel } from './qr-panel.tsx';
import { UpdateCard } from './update-card.tsx';
import { UpdateItem } from './update-item.tsx';

/** What happens to an order and what happened before, beside its form. */
export function Activity({ order }: { readonly order: OrderView }) {
  const { updates, events } = order;
  const [latest, ...earlier] = updates.map((update) => readLiveUpdate(update, events));
  return (
    <aside className="activity" id={activityId} tabIndex={-1} aria-label={activityWords.label}>
      <section className="activity-card" aria-label={activityWords.latest}>
        <h2 className="activity-title">{activityWords.latest}</h2>
        {latest ? <UpdateCard key={latest.update.id} live={latest} /> : <Nothing />}
      </section>
      <QrPanel order={order} />
      {earlier.length > 0 && (
        <section className="activity-card" aria-label={activityWords.earlier}>
          <h2 className="activity-title">{activityWords.earlier}</h2>
          <ul className="activity-list">
            {earlier.map((live) => (
              <UpdateItem key={live.update.id} live={live} />
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

function Nothing() {
  const { title, text } = activityWords.none;
  return (
    <div className="activity-none">
      <Icon name="clock" size={18} />
      <div>
        <p className="activity-none-title">{title}</p>
        <p>{text}</p>
      </div>
    </div>
  );
}
