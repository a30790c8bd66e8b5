import './editor.css';
import {
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { FieldPath } from 'react-hook-form';
import type { OrderView } from '../../contract/order-view.ts';
import { listErrors, listIssues, toFieldErrors } from '../form/field-issues.ts';
import type { OrderForm } from '../form/order-form.ts';
import { type OrderFormActions, OrderFormActionsProvider } from '../form/order-form-actions.ts';
import { toForm } from '../form/to-form.ts';
import { toOrderUpdate } from '../form/to-order-update.ts';
import { SendDock } from '../sending/send-dock.tsx';
import { useSending } from '../sending/use-sending.ts';
import { editorWords } from '../words/editor.ts';
import { pasteWords } from '../words/paste.ts';
import { AddressField } from './address-field.tsx';
import { Announcer, useAnnouncer } from './announcer.tsx';
import { BuyerFields } from './buyer-fields.tsx';
import { type CartHandle, CartLines } from './cart-lines.tsx';
import { focusField } from './focus-field.ts';
import { HookFields } from './hook-fields.tsx';
import { MoreFields } from './more-fields.tsx';
import { moveToNextLine } from './move-to-next-line.ts';
import { OrderFields } from './order-fields.tsx';
import { OrderHead } from './order-head.tsx';
import { SectionNav } from './section-nav.tsx';
import { type Undoable, UndoBar } from './undo-bar.tsx';
import { useDraft } from './use-draft.ts';
import { useOrderForm } from './use-order-form.ts';
import { useScanned } from './use-scanned.ts';

const PastePanel = lazy(async () => ({ default: (await import('../paste/paste-panel.tsx')).PastePanel }));

export interface OrderEditorProps {
  readonly order: OrderView;
  /** What stands beside the form; it may use `useOrderFormActions`. */
  readonly aside?: ReactNode;
}

/** One order: its fields, judged as they are typed and kept as a draft, and the bar that sends it. */
export function OrderEditor({ order, aside }: OrderEditorProps) {
  const edited = useOrderForm(order);
  const { form } = edited;
  const { control } = form;
  const draft = useDraft(order, edited);
  useScanned(order, edited);
  const sending = useSending(order);
  const { said, announce } = useAnnouncer();
  const [done, setDone] = useState<Undoable>();
  const [isPasting, setIsPasting] = useState(false);
  const sheet = useRef<HTMLFormElement>(null);
  const cart = useRef<CartHandle>(null);

  const offerUndo = useCallback(
    (undoable: Undoable) => {
      setDone(undoable);
      announce(undoable.message);
    },
    [announce],
  );
  const closeUndo = useCallback(() => setDone(undefined), []);

  const actions = useMemo<OrderFormActions>(
    () => ({
      control: form.control,
      setField: (name, text) => form.setValue(name, text, { shouldDirty: true, shouldValidate: true }),
      readUpdate: () => toOrderUpdate(form.getValues()),
    }),
    [form],
  );

  function show(field: FieldPath<OrderForm>): void {
    const [, index] = /^cart\.items\.(\d+)\./.exec(field) ?? [];
    if (index !== undefined) cart.current?.bring(Number(index));
    if (sheet.current) focusField(sheet.current, field);
  }

  function showFirst(errors: Parameters<typeof listIssues>[0]): void {
    const first = listIssues(errors).find(({ field }) => field !== undefined);
    if (first?.field) show(first.field);
  }

  const send = form.handleSubmit(async (update) => {
    edited.noteSent(structuredClone(form.getValues()));
    const result = await sending.submit(update);
    if (result.kind !== 'refused') return;
    const errors = toFieldErrors(result.issues);
    for (const { name, error } of listErrors(errors)) form.setError(name, error);
    showFirst(errors);
  }, showFirst);

  function sendOnce(): void {
    if (!form.formState.isSubmitting && !sending.isSubmitting) void send();
  }

  function replace(values: OrderForm, message: string): void {
    const before = structuredClone(form.getValues());
    edited.replace({ ...values, scanned: before.scanned });
    offerUndo({ message, undo: () => edited.replace(before) });
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const { key, target } = event;
    if (event.defaultPrevented) return;
    if (event.code === 'KeyZ' && event.altKey && done) {
      event.preventDefault();
      closeUndo();
      done.undo();
    }
    if (key !== 'Enter') return;
    const isMeant = event.ctrlKey || event.metaKey;
    if (isMeant || target instanceof HTMLInputElement) event.preventDefault();
    // Enter in a field must not send an order by accident; with Ctrl or Command it is meant.
    if (isMeant) sendOnce();
    else if (target instanceof HTMLInputElement) moveToNextLine(target, event.shiftKey ? -1 : 1);
  }

  return (
    <OrderFormActionsProvider value={actions}>
      <div className="editor">
        <div className="editor-columns">
          <form
            ref={sheet}
            className="editor-sheet"
            noValidate
            onSubmit={(event) => event.preventDefault()}
            onKeyDown={onKeyDown}
          >
            <OrderHead
              order={order}
              control={control}
              draft={draft}
              onPaste={() => setIsPasting(true)}
              onDiscard={() => replace(edited.readBase(), editorWords.draft.discarded)}
            />
            <SectionNav control={control} />
            <OrderFields control={control} />
            <CartLines ref={cart} form={form} announce={announce} offerUndo={offerUndo} />
            <AddressField form={form} />
            <BuyerFields control={control} qrSession={order.qrSession} base={edited.readBase} />
            <HookFields form={form} />
            <MoreFields form={form} />
          </form>
          {aside}
        </div>
        <UndoBar done={done} onClose={closeUndo} />
        <form
          className="editor-dock"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            sendOnce();
          }}
        >
          <SendDock
            control={control}
            token={order.token}
            sending={sending}
            readUpdate={actions.readUpdate}
            onShow={show}
          />
        </form>
        <Announcer said={said} />
        {isPasting && (
          <Suspense>
            <PastePanel
              onClose={() => setIsPasting(false)}
              onPut={(update: unknown) => replace(toForm(update), pasteWords.putDone)}
            />
          </Suspense>
        )}
      </div>
    </OrderFormActionsProvider>
  );
}
