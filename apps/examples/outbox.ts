import { createOrdersClient } from '@orders/client';
import { createOutbox, postgresStore } from '@orders/outbox';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const orders = createOrdersClient({
  baseUrl: process.env.ORDERS_BASE_URL ?? 'http://127.0.0.1:8402',
  apiKey: () => process.env.ORDERS_API_KEY,
});
const outbox = await createOutbox({
  client: orders,
  store: postgresStore({ pool }),
});
await outbox.start(); // sends, in as many processes as you like

/** Saves a cart in your table together with its update, or neither. */
async function saveCart(token: string, cart: { items: object[] }) {
  const tx = await pool.connect();
  try {
    await tx.query('begin');
    await tx.query('insert into carts values ($1, $2)', [token, cart]);
    const id = await outbox.enqueue(token, { cart }, { tx });
    await tx.query('commit'); // from here on the update is accepted
    return id;
  } catch (error) {
    // Fails only where the connection, and with it the transaction, is lost.
    await tx.query('rollback').catch(() => {});
    throw error;
  } finally {
    tx.release();
  }
}

process.once('SIGTERM', async () => {
  await outbox.close(); // updates in flight have 10 s to finish
  await orders.close();
  await pool.end();
});

const items = [{ sku: 'mug', quantity: 2, unit_price: 12900 }];
console.log(await saveCart(process.env.ORDER_TOKEN ?? '', { items }));
