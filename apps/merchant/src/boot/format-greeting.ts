import type { styleText } from 'node:util';
import type { Greeting } from './greet-service.ts';
import type { OpenDesk } from './open-desk.ts';

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Where everything is, ready to open, and where it is kept. */
export function formatAddresses(
  { url, service, place, sendsThrough }: Pick<OpenDesk, 'url' | 'service' | 'place' | 'sendsThrough'>,
  paint: Paint,
): string {
  const orders = `${service.tokens.length} ${service.tokens.length === 1 ? 'order' : 'orders'}`;
  const where = service.isOwn ? `in this process, ${orders}` : orders;
  return [
    `${paint('dim', "Merchant's desk")}  ${paint(['bold', 'cyan'], url)}`,
    `${paint('dim', 'Order service')}    ${service.url}  ${paint('dim', where)}`,
    `${paint('dim', 'Kept in')}          ${place}`,
    ...(sendsThrough === 'outbox' ? [`${paint('dim', 'Sends through')}    an outbox in the same place`] : []),
    '',
  ].join('\n');
}

/** One line on one call: `✓ update  applied to ord_…  200, 1 attempt`. */
export function formatGreeting({ call, ok, outcome, attempts, status }: Greeting, paint: Paint): string {
  const mark = ok ? paint('green', '✓') : paint('red', '✗');
  const facts = [status, `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`];
  const detail = facts.filter((fact) => fact !== undefined).join(', ');
  return `${mark} ${call.padEnd(6)}  ${outcome}  ${paint('dim', detail)}\n`;
}
