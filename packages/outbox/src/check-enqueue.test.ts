import pg from 'pg';
import { expect, test } from 'vitest';
import { checkEnqueue } from './check-enqueue.ts';
import { fromDrizzle } from './store/from-drizzle.ts';
import { fromKysely } from './store/from-kysely.ts';

const query = async () => ({ rows: [] });

test.for<[string, unknown, RegExp]>([
  ['options that are none', null, /give options as \{ tx, id \}/],
  ['a slip in a name', { trx: { query } }, /^enqueue: unknown option "trx"\. Known: tx, id\.$/],
  ['an id that is no UUID', { id: 'mine' }, /UUID/],
  ['no transaction', { tx: null }, /fromKysely\(trx\)/],
  ['a transaction of Drizzle as it is', { tx: { query: {}, execute: query } }, /fromDrizzle\(tx, sql\)/],
  ['a database', { tx: { query, transaction: query } }, /a database is no transaction/],
])('refuses %s', ([, options, told]) => {
  expect(() => checkEnqueue('ord_1', options as never)).toThrow(TypeError);
  expect(() => checkEnqueue('ord_1', options as never)).toThrow(told);
});

test('refuses a pool, whose statements are transactions of their own', async () => {
  const pool = new pg.Pool();
  expect(() => checkEnqueue('ord_1', { tx: pool })).toThrow('pass as tx the client that began it');
  await pool.end();
  expect(() => checkEnqueue('ord_1', { tx: new pg.Client() })).not.toThrow();
});

test('refuses a token that the database could not index', () => {
  expect(() => checkEnqueue('ö'.repeat(1_301), {})).toThrow('2600 bytes');
  expect(() => checkEnqueue('ö'.repeat(1_300), {})).not.toThrow();
});

test('the adapters refuse what is no transaction', () => {
  const database = { execute: query, executeQuery: query, isTransaction: false };
  expect(() => fromKysely(database as never)).toThrow('transaction().execute()');
  expect(() => fromKysely({} as never)).toThrow(TypeError);
  expect(() => fromDrizzle(database as never, {} as never)).toThrow('db.transaction()');
  const tx = { ...database, rollback: query };
  expect(() => fromDrizzle(tx as never, undefined as never)).toThrow('sql of drizzle-orm');
});
