import { useEffect, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { ShopUpdate } from '../../shared/order-update.ts';
import type { OrderDetail, UpdateState } from '../api.ts';
import { type OrderForm, resolver, toForm } from './order-form.ts';

export interface OrderFormState {
  readonly form: UseFormReturn<OrderForm, unknown, ShopUpdate>;
  readonly values: OrderForm;
  /** Whether the form holds something else than the order that it began from. */
  readonly isChanged: boolean;
  /** Whether the form holds what was sent last. */
  readonly isSent: boolean;
  /** Whether the order changed since the form was begun, so that sending it would undo that. */
  readonly isStale: boolean;
  /** Notes that what is typed is being sent. */
  readonly markSent: (id: string) => void;
  /** Replaces what was typed with what was applied last. */
  readonly discardChanges: () => void;
  /** Keeps what was typed although the order changed. */
  readonly keepChanges: () => void;
}

/** The form of an order, which follows the order while nothing is typed. */
export function useOrderForm(
  { body, bodyVersion }: Pick<OrderDetail, 'body' | 'bodyVersion'>,
  sentState: UpdateState | undefined,
): OrderFormState {
  /** What the form began from. */
  const [base, setBase] = useState({ version: bodyVersion, text: textOf(toForm(body)) });
  const [sent, setSent] = useState<{ readonly id: string; readonly text: string }>();
  const form = useForm<OrderForm, unknown, ShopUpdate>({
    defaultValues: toForm(body),
    resolver,
    mode: 'all',
    // An error that appears while somebody types or clicks would distract, or move what is being clicked.
    delayError: 500,
    // The editor does it, after it has opened the section of the field.
    shouldFocusError: false,
  });
  const values = form.watch();
  const text = textOf(values);
  const isChanged = text !== base.text;
  const isSent = text === sent?.text;
  const keepChanges = (): void => setBase({ version: bodyVersion, text: textOf(toForm(body)) });
  const discardChanges = (): void => {
    form.reset(toForm(body));
    keepChanges();
  };

  const isNew = base.version !== bodyVersion;
  const isUntouched = !isChanged || (isSent && sentState === 'applied');
  // What was typed after sending goes on from what was sent.
  const isMine = bodyVersion === sent?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are those of the same render
  useEffect(() => {
    if (isNew && isUntouched) discardChanges();
    else if (isNew && isMine) keepChanges();
  }, [isNew, isUntouched, isMine]);

  const isOnItsWay = isSent && (sentState === 'queued' || sentState === 'sending');
  return {
    form,
    values,
    isChanged,
    isSent,
    isStale: isNew && !isUntouched && !isMine && !isOnItsWay,
    markSent: (id) => setSent({ id, text: textOf(form.getValues()) }),
    discardChanges,
    keepChanges,
  };
}

const textOf = (form: OrderForm): string => JSON.stringify(form);
