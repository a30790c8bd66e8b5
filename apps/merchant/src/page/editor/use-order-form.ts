import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type FieldPath, get, useForm } from 'react-hook-form';
import type { DeskUpdate } from '../../contract/desk-update.ts';
import type { OrderView } from '../../contract/order-view.ts';
import type { OrderFormHandle } from '../form/order-control.ts';
import type { OrderForm } from '../form/order-form.ts';
import { orderResolver } from '../form/order-resolver.ts';
import { parseDraft } from '../form/parse-draft.ts';
import { isSameJson } from '../form/same-json.ts';
import { toForm } from '../form/to-form.ts';
import { toOrderUpdate } from '../form/to-order-update.ts';

/** An order's form, and what it is compared with to know whether something was typed. */
export interface EditedOrder {
  readonly form: OrderFormHandle;
  /** Whether the form began as a draft that differs from the order. */
  readonly isDraft: boolean;
  /** Puts other values into the form, as if they were typed: they are judged, and may be taken back. */
  replace(values: OrderForm): void;
  /** What the form stands for without anything typed. */
  readBase(): OrderForm;
  /** Compares with something else from now on; what was typed stays. */
  setBase(base: OrderForm): void;
  /** Remembers what was sent, so that the form is clean once it was applied. */
  noteSent(sent: OrderForm): void;
}

const resolver = orderResolver();
/** Updates that are on their way at once are few. */
const keptSent = 8;

/** The form of an order: begins as its draft, else as the order itself, and follows what is applied to it. */
export function useOrderForm(order: OrderView): EditedOrder {
  const [start] = useState(() => {
    const base = toForm(order.body);
    const draft = parseDraft(order.draft);
    return draft && !isSameJson(draft, base) ? { base, draft } : { base };
  });
  const base = useRef(start.base);
  const sent = useRef<readonly OrderForm[]>([]);
  const form = useForm<OrderForm, unknown, DeskUpdate>({
    defaultValues: start.draft ?? start.base,
    resolver,
    mode: 'onChange',
    // A field far down a long cart is not in the page until the editor brings it there.
    shouldFocusError: false,
  });
  const isDirty = useRef(false);
  isDirty.current = form.formState.isDirty;

  useLayoutEffect(() => {
    if (!start.draft) return;
    form.resetDefaultValues({ ...start.base, scanned: start.draft.scanned });
    base.current = { ...start.base, scanned: start.draft.scanned };
    void form.trigger();
  }, [form, start]);

  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ name, errors }) => {
          // A field that is typed now is no longer missing, so that another is no misspelling of it any more.
          const beside = name && carriedBeside(name);
          if (beside && beside !== name && get(errors, beside)) void form.trigger(beside);
        },
      }),
    [form],
  );

  function setBase(next: OrderForm): void {
    base.current = next;
    form.resetDefaultValues(next);
  }

  const body = useRef(order.body);
  useEffect(() => {
    if (isSameJson(body.current, order.body)) return;
    body.current = order.body;
    const { scanned } = form.getValues();
    const typed = sent.current.find((one) => isSameJson(toOrderUpdate(one), order.body));
    const next = { ...(typed ?? toForm(order.body)), scanned };
    base.current = next;
    if (isDirty.current || isSameJson(form.getValues(), next)) form.resetDefaultValues(next);
    else form.reset(next);
  }, [form, order.body]);

  return {
    form,
    isDraft: start.draft !== undefined,
    replace(values) {
      form.reset(values, { keepDefaultValues: true });
      void form.trigger();
    },
    readBase: () => base.current,
    setBase,
    noteSent(one) {
      sent.current = [one, ...sent.current].slice(0, keptSent);
    },
  };
}

/** The field that tells what is carried along in the same object as a field. */
function carriedBeside(name: string): FieldPath<OrderForm> {
  const [, holder] = /^(cart\.items\.\d+|cart|hooks)(\.|$)/.exec(name) ?? [];
  return holder === undefined ? 'carried' : (`${holder}.carried` as FieldPath<OrderForm>);
}
