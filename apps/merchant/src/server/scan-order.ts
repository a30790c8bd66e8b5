import { randomUUID } from 'node:crypto';
import type { MockOrderService } from '@orders/testing';
import type { ScanReport } from '../contract/order-view.ts';

export interface ScanOptions {
  /** The desk's own order service; without one there is nobody to ask. */
  readonly service: Pick<MockOrderService, 'order' | 'webhooks'> | undefined;
  readonly token: string;
  /** Where this desk is called for the order. */
  readonly webhookUrl: string;
}

/** Plays a buyer who scans the QR code: has the order service send `start_qr_session` to the address that it knows. */
export async function scanOrder({ service, token, webhookUrl }: ScanOptions): Promise<ScanReport> {
  if (!service) return { delivered: false, problem: 'Only the desk’s own order service can play a scan.' };
  if (service.order(token)?.data.hooks?.webhook_url !== webhookUrl)
    return { delivered: false, problem: 'Send an update that carries the webhook address first.' };
  try {
    const sent = await service.webhooks.send('start_qr_session', { token, sessionId: `qr_${randomUUID()}` });
    if (sent.delivered) return { delivered: true };
    const { status, error } = sent;
    return { delivered: false, problem: `The order service could not deliver it: ${status ?? error}.` };
  } catch (error) {
    // A service that plays calls this machine alone, and says so.
    if (error instanceof TypeError) return { delivered: false, problem: error.message };
    throw error;
  }
}
