/** A process that receives webhooks with an inbox, and whose handlers throw and hang now and then. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { createOutbox, postgresStore } from '@orders/outbox';
import { createInbox, fromNode } from '@orders/outbox/inbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { type Delivered, type ReceiverSettings, signatureHeader } from './protocol.ts';

const settings: ReceiverSettings = JSON.parse(process.env['RECEIVER'] ?? '');
const { place, port, secret, throwing, hanging } = settings;

const store = 'folder' in place ? await pgliteStore(place.folder) : postgresStore(place);
const outbox = await createOutbox({ store, warn: () => {} });
await store.executeSql(
  `create schema if not exists shop;
   create table if not exists shop.effects (number bigserial, event text, token text)`,
);

const inbox = createInbox({
  store,
  verify(body, request) {
    const mine = createHmac('sha256', secret).update(body).digest();
    const theirs = Buffer.from(request.headers.get(signatureHeader) ?? '', 'hex');
    if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs)) return undefined;
    const { id, token }: Delivered = JSON.parse(new TextDecoder().decode(body));
    return { id, token };
  },
  id: 'id',
  token: 'token',
  handler: async ({ id, token }, { tx }) => {
    await tx.query('insert into shop.effects (event, token) values ($1, $2)', [id, token]);
    await outbox.enqueue(token, { cart: { items: [{ sku: id }] } }, { tx });
    if (Math.random() < throwing) throw new Error('on purpose');
    if (Math.random() < hanging) await new Promise(() => {});
  },
  warn: () => {},
});

const server = createServer(fromNode(inbox));
await once(server.listen(port, '127.0.0.1'), 'listening');
process.on('SIGTERM', async () => {
  server.close();
  await inbox.close();
  await outbox.close();
  process.exit(0);
});
process.stdout.write('ready\n');
