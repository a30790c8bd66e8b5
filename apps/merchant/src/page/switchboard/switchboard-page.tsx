import './mantine.css';
import './switchboard.css';
import { Button, Skeleton } from '@mantine/core';
import { useOrders } from '../api/orders.ts';
import { shellWords } from '../words/shell.ts';
import { switchboardWords as words } from '../words/switchboard.ts';
import { AttemptBoard } from './attempt-board.tsx';
import { BurstForm } from './burst-form.tsx';
import { LaneBoard } from './lane-board.tsx';
import { TroubleSwitch } from './trouble-switch.tsx';
import { useSwitchboard } from './use-switchboard.ts';

/** Makes the order service misbehave, sends bursts, and shows what becomes of every update. */
export function SwitchboardPage() {
  const { view, isError, refetch, wish, set, problem } = useSwitchboard();
  const { data } = useOrders();
  const orders = data?.orders ?? [];
  return (
    <div className="board">
      <header className="board-intro">
        <h1 className="board-name">{words.title}</h1>
        <p className="board-help">{words.help}</p>
      </header>
      <div className="board-columns">
        <div className="board-column">
          {view ? (
            <TroubleSwitch view={view} wish={wish} problem={problem} onSet={set} />
          ) : isError ? (
            <div className="board-section board-notice" role="alert">
              <strong>{words.failed}</strong>
              <p>{shellWords.deskUnreachable}</p>
              <Button variant="default" onClick={() => void refetch()}>
                {shellWords.retry}
              </Button>
            </div>
          ) : (
            <Skeleton className="board-skeleton" aria-label={words.loading} aria-busy="true" />
          )}
        </div>
        <div className="board-column">
          <BurstForm orders={orders.length} isAvailable={view?.available ?? false} />
          <LaneBoard orders={orders} />
          <AttemptBoard />
        </div>
      </div>
    </div>
  );
}
