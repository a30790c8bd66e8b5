import { useEffect } from 'react';
import { fieldNames } from '../../contract/desk-update.ts';
import type { OrderView } from '../../contract/order-view.ts';
import type { EditedOrder } from './use-order-form.ts';

/** Puts the session that the scanner brought into the form, once, unless an update went out since. */
export function useScanned(order: OrderView, { form, readBase, setBase }: EditedOrder): void {
  const { qrSession } = order;
  const sentAt = order.updates.find(({ state }) => state === 'applied')?.createdAt;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a session is taken when it comes, not when an update goes out.
  useEffect(() => {
    if (!qrSession) return;
    const { scanned, [fieldNames.qrSessionId]: typed } = form.getValues();
    const isOld = sentAt !== undefined && Date.parse(qrSession.at) <= Date.parse(sentAt);
    if (scanned === qrSession.id || typed === qrSession.id || (scanned === '' && isOld)) return;
    // That a session came is nothing that was typed: the form without it would not be clean.
    setBase({ ...readBase(), scanned: qrSession.id });
    form.setValue('scanned', qrSession.id);
    form.setValue(fieldNames.qrSessionId, qrSession.id, { shouldDirty: true, shouldValidate: true });
  }, [qrSession?.id]);
}
