import { useEffect, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { createId, type OrderDetail, type UpdateView } from '../api.ts';
import { type OrderForm, resolver, toForm } from './order-form.ts';

export interface OrderFormState {
  readonly form: UseFormReturn<OrderForm, unknown, ShopUpdate>;
  readonly values: OrderForm;
  /** Whether the form holds something else than the order that it began from. */
  readonly isChanged: boolean;
  /** Whether the form holds what was sent last. */
  readonly isSent: boolean;
  /** The update that was sent last from this form, once it is known to be accepted. */
  readonly sent: UpdateView | undefined;
  /** The ids of all that was sent from this form. */
  readonly sentIds: readonly string[];
  /** Whether the order changed since the form was begun, so that sending it would undo that. */
  readonly isStale: boolean;
  /** Notes that what is typed is being sent. Returns the id of its update. */
  readonly markSent: () => string;
  /** Replaces what was typed with what was applied last. */
  readonly discardChanges: () => void;
  /** Keeps what was typed although the order changed. */
  readonly keepChanges: () => void;
}

/** The form of an order, which follows the order while nothing is typed. */
export function useOrderForm(
  { body, bodyVersion, updates }: Pick<OrderDetail, 'body' | 'bodyVersion' | 'updates'>,
  accepted: UpdateView | undefined,
): OrderFormState {
  /** What the form began from. */
  const [base, setBase] = useState({ version: bodyVersion, text: textOf(toForm(body)) });
  /** What was sent last, whether or not its response arrived, and the order as it was then. */
  const [attempt, setAttempt] = useState<Record<'id' | 'text' | 'version', string>>();
  const [sentIds, setSentIds] = useState<readonly string[]>([]);
  const sent = [...updates, accepted].find((update) => update?.id === attempt?.id);
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
  const isSent = text === attempt?.text;
  const keepChanges = (): void => setBase({ version: bodyVersion, text: textOf(toForm(body)) });
  const loadOrder = (): void => {
    form.reset(toForm(body));
    keepChanges();
  };

  const isNew = base.version !== bodyVersion;
  const isUntouched = !isChanged || (isSent && sent?.state === 'applied');
  // What was typed after sending goes on from what was sent.
  const isMine = bodyVersion === attempt?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are those of the same render
  useEffect(() => {
    if (isNew && isUntouched) loadOrder();
    else if (isNew && isMine) keepChanges();
  }, [isNew, isUntouched, isMine]);

  const isOnItsWay = isSent && (sent?.state === 'queued' || sent?.state === 'sending');
  return {
    form,
    values,
    isChanged,
    isSent,
    sent,
    sentIds,
    isStale: isNew && !isUntouched && !isMine && !isOnItsWay,
    markSent() {
      // A repeat after a lost response is not a second update, but after another update of the order it is.
      const text = textOf(form.getValues());
      const isRepeat = text === attempt?.text && !sent && attempt.version === bodyVersion;
      const id = isRepeat ? attempt.id : createId();
      setAttempt({ id, text, version: bodyVersion });
      setSentIds([...sentIds, id]);
      return id;
    },
    discardChanges() {
      setAttempt(undefined);
      loadOrder();
    },
    keepChanges,
  };
}

const textOf = (form: OrderForm): string => JSON.stringify(form);
