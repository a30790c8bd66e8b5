import { useCallback, useEffect, useRef, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import type { OrderDetail } from '../../shared/api.ts';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { discardDraft, saveDraft } from '../api.ts';
import { holds, OrderForm, resolver, toForm } from './order-form.ts';

const pauseMs = 500;

export type DraftState = 'unchanged' | 'changed' | 'saving' | 'saved' | 'failed' | 'sent';

export interface OrderFormState {
  readonly form: UseFormReturn<OrderForm, unknown, ShopUpdate>;
  readonly draft: DraftState;
  /** Whether the order changed since the form was begun, so that sending it would undo that. */
  readonly isStale: boolean;
  /** Replaces what was typed with what was applied last. */
  readonly discardChanges: () => void;
  /** Keeps what was typed although the order changed. */
  readonly keepChanges: () => void;
  /** Lets the saving of the draft end before an update is sent. Resolves with the draft, which the update makes obsolete. */
  readonly beginSending: (id: string) => Promise<unknown>;
  /** Saves what was sent as a draft again, because it was not accepted. */
  readonly keepSent: () => Promise<void>;
}

/** The form of an order, which is saved as a draft while it is typed, and follows the order while it is not. */
export function useOrderForm({ token, body, bodyVersion, draft, updates }: OrderDetail): OrderFormState {
  const [base, setBase] = useState(draft?.base ?? bodyVersion);
  const [sentId, setSentId] = useState('');
  const [state, setState] = useState<DraftState>(draft ? 'saved' : 'unchanged');
  const form = useForm<OrderForm, unknown, ShopUpdate>({
    defaultValues: readDraft(draft?.form) ?? toForm(body),
    resolver,
    mode: 'onTouched',
    // An error that appears as a field loses the focus would move the button that is being clicked.
    delayError: 250,
    // The editor does it, after it has opened the section of the field.
    shouldFocusError: false,
  });
  const latest = useRef({ body, base });
  latest.current.body = body;
  latest.current.base = base;
  const saving = useRef<Promise<void>>(Promise.resolve());
  /** The draft of this window: another window may have saved another one since. */
  const saved = useRef<unknown>(draft?.form);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const save = useCallback(
    (keepalive = false) => {
      clearTimeout(timer.current);
      timer.current = undefined;
      const values = structuredClone(form.getValues());
      const { body, base } = latest.current;
      const isChanged = !holds(values, body);
      setState(isChanged ? 'saving' : 'unchanged');
      saving.current = saving.current
        .then(async () => {
          if (isChanged) await saveDraft(token, { form: values, base }, keepalive);
          else if (saved.current !== undefined) await discardDraft(token, saved.current, keepalive);
          saved.current = isChanged ? values : undefined;
        })
        .then(
          () => setState((now) => (now === 'saving' ? 'saved' : now)),
          () => setState('failed'),
        );
      return saving.current;
    },
    [form, token],
  );

  const keepSent = useCallback(async () => {
    await save();
    setState((now) => (now === 'saved' ? 'sent' : now));
  }, [save]);

  useEffect(() => {
    const stop = form.subscribe({
      formState: { values: true },
      callback: ({ name }) => {
        setState((now) => (now === 'unchanged' || now === 'sent' ? 'changed' : now));
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          if (name) void form.trigger(name as keyof OrderForm);
          void save();
        }, pauseMs);
      },
    });
    const saveNow = () => timer.current !== undefined && void save(true);
    window.addEventListener('pagehide', saveNow);
    return () => {
      stop();
      window.removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, [form, save]);

  const loadBody = useCallback(() => {
    form.reset(toForm(latest.current.body));
    // The form reports the reset as a change.
    clearTimeout(timer.current);
    timer.current = undefined;
    setState('unchanged');
  }, [form]);

  const sentState = updates.find(({ id }) => id === sentId)?.state;
  const isOnItsWay = state === 'sent' && (sentState === 'queued' || sentState === 'sending');
  // The order changed: an untouched form follows it, and what was typed after sending begins from what was sent.
  useEffect(() => {
    if (base === bodyVersion) return;
    const isMine = bodyVersion === sentId || holds(form.getValues(), body);
    if (state === 'unchanged' || (state === 'sent' && sentState === 'applied' && !isMine)) loadBody();
    else if (!isMine) return;
    setBase(bodyVersion);
    latest.current.base = bodyVersion;
    if (state !== 'unchanged') void save();
  }, [base, bodyVersion, body, sentId, sentState, state, form, loadBody, save]);

  return {
    form,
    draft: state,
    isStale: base !== bodyVersion && state !== 'unchanged' && !isOnItsWay,
    discardChanges() {
      loadBody();
      setBase(bodyVersion);
      void save();
    },
    keepChanges() {
      setBase(bodyVersion);
      latest.current.base = bodyVersion;
      void save();
    },
    async beginSending(id) {
      clearTimeout(timer.current);
      timer.current = undefined;
      setSentId(id);
      await saving.current;
      setState('sent');
      return saved.current;
    },
    keepSent,
  };
}

function readDraft(draft: unknown): OrderForm | undefined {
  const read = z.safeParse(OrderForm, draft);
  return read.success ? read.data : undefined;
}
