import './decisions.css';
import { Link } from 'wouter';
import type { UpdateView } from '../../contract/update-view.ts';
import { DecisionBox } from '../activity/decision-box.tsx';
import { Mark } from '../activity/mark.tsx';
import { UpdateRecords } from '../activity/update-records.tsx';
import { orderHref } from '../orders/order-href.ts';
import { useOrderName } from '../orders/use-order-name.ts';
import { decisionWords } from '../words/decisions.ts';
import { formatTime } from '../words/format.ts';

export interface UndecidedUpdateProps {
  readonly update: UpdateView;
  /** Of its heading. */
  readonly level: 2 | 3;
  /** Why it waits, in a few words. */
  readonly fact: string;
}

/** An update that waits for a person, with its order, what can be chosen, and what is known of it. */
export function UndecidedUpdate({ update, level, fact }: UndecidedUpdateProps) {
  const Heading = `h${level}` as const;
  const name = useOrderName(update.token);
  return (
    <li className="decisions-item">
      <div className="decisions-item-head">
        <Mark state={update.state} />
        <Heading className="decisions-item-title">{decisionWords.of(name)}</Heading>
        <Link className="decisions-link" href={orderHref(update.token)}>
          {decisionWords.open}
        </Link>
        <p className="decisions-facts">
          {decisionWords.accepted(formatTime(update.createdAt))} · {fact}
        </p>
      </div>
      <div className="decisions-columns">
        <DecisionBox update={update} />
        <UpdateRecords update={update} />
      </div>
    </li>
  );
}
