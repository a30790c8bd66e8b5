import './switchboard.css';
import { Button, NumberInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { sendBurst } from '../api/switchboard.ts';
import { Icon } from '../icon.tsx';
import { readSendsThrough } from '../sends-through.ts';
import { shellWords } from '../words/shell.ts';
import { switchboardWords } from '../words/switchboard.ts';

export interface BurstFormProps {
  /** How many orders there are to send to. */
  readonly orders: number;
  readonly isAvailable: boolean;
}

const words = switchboardWords.burst;
const maxOrders = 8;
const maxUpdates = 20;

/** Sends many updates at once, to watch the lanes. */
export function BurstForm({ orders, isAvailable }: BurstFormProps) {
  const sendsThrough = readSendsThrough();
  const most = Math.min(maxOrders, orders);
  const [wanted, setWanted] = useState<number | string>(4);
  const [updates, setUpdates] = useState<number | string>(5);
  const { mutate, isPending, data, error } = useMutation({ mutationFn: sendBurst });
  const burst = { orders: clamp(wanted, most), updates: clamp(updates, maxUpdates) };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(burst);
  };
  return (
    <section className="board-section" aria-labelledby="burst-title">
      <div className="board-head">
        <h2 className="board-title" id="burst-title">
          {words.title}
        </h2>
        <p className="board-help">{words.help}</p>
      </div>
      <form className="burst-form" onSubmit={submit}>
        <NumberInput
          className="burst-number"
          label={words.orders}
          min={1}
          max={Math.max(1, most)}
          allowDecimal={false}
          value={most === 0 ? wanted : Math.min(Number(wanted) || 1, most)}
          onChange={setWanted}
        />
        <NumberInput
          className="burst-number"
          label={words.updates}
          min={1}
          max={maxUpdates}
          allowDecimal={false}
          value={updates}
          onChange={setUpdates}
        />
        <Button
          type="submit"
          leftSection={<Icon name="send" size={15} />}
          loading={isPending}
          disabled={!isAvailable || most === 0}
        >
          {words.send(burst.orders * burst.updates)}
        </Button>
        <div className="burst-said">
          <p role="status">{data && !error && words.sent(data.ids.length)}</p>
          {error ? (
            <p className="board-problem" role="alert">
              {words.failed} {error.message}
            </p>
          ) : (
            <p className="board-help">
              {words.decide}{' '}
              <Link className="board-link" href={sendsThrough === 'outbox' ? '/outbox' : '/decisions'}>
                {sendsThrough === 'outbox' ? shellWords.views.outbox : shellWords.views.decisions}
              </Link>
              .
            </p>
          )}
        </div>
      </form>
    </section>
  );
}

function clamp(typed: number | string, most: number): number {
  return Math.max(1, Math.min(Math.trunc(Number(typed)) || 1, most));
}
