import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { createServer as createSecureServer, request as requestSecurely } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { certifyServer, createAuthority } from '../../client/test/certificates.ts';
import {
  onBoth,
  onBothInFull,
  onPglite,
  onPostgres,
  type Scene,
  step,
  stepsApplied,
  until,
} from '../test/scene.ts';
import { OutboxError } from './errors.ts';
import { createInbox, fromNode, type Inbox, type InboxOptions } from './inbox.ts';
import type { Outbox } from './outbox.ts';

const secret = 'a-secret-of-the-webhook';
const sign = (body: string | Uint8Array): string => createHmac('sha256', secret).update(body).digest('hex');

/** A delivery as a sender makes it. */
function deliver(
  inbox: Pick<Inbox, 'receive'>,
  body: string | Uint8Array<ArrayBuffer>,
  { signature = sign(body), ...init }: RequestInit & { readonly signature?: string } = {},
): Promise<Response> {
  const headers = { 'x-signature': signature };
  return inbox.receive(new Request('https://shop.example/hooks', { method: 'POST', headers, body, ...init }));
}

const event = (id: string, token: string, number = 1): string =>
  JSON.stringify({ id, data: { order: token, number } });

/** The door of most tests: an HMAC over the bytes as they came. */
const verify: InboxOptions['verify'] = (body, request) => {
  const [mine, theirs] = [sign(body), request.headers.get('x-signature') ?? ''].map((text) =>
    Buffer.from(text),
  );
  if (mine?.length !== theirs?.length || !timingSafeEqual(mine as Buffer, theirs as Buffer)) return undefined;
  return JSON.parse(new TextDecoder().decode(body));
};

interface Opened {
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly warnings: string[];
}

async function openInbox(scene: Scene, options: Partial<InboxOptions> = {}): Promise<Opened> {
  const store = await scene.openStore();
  const outbox = await scene.open({ store });
  const warnings: string[] = [];
  const inbox = createInbox({
    store,
    verify,
    id: 'id',
    token: 'data.order',
    databaseSchema: scene.schema,
    handler: () => {},
    warn: (message) => void warnings.push(message),
    ...options,
  });
  await inbox.start();
  return { outbox, inbox, warnings };
}

onBoth(
  'handles each event once, in the sequence of its order, whatever is repeated and fails',
  async (scene) => {
    const { sql, schema, service } = scene;
    const tokens = service.orders.slice(0, 3).map(({ token }) => token);
    await sql.query(`create table effects_of_${schema} (id text, token text, number integer, at serial)`);
    try {
      let outbox: Outbox | undefined;
      let failing = 0;
      const handler: InboxOptions['handler'] = async ({ id, token, payload }, { tx }) => {
        const { number } = (payload as { data: { number: number } }).data;
        await tx.query(`insert into effects_of_${schema} (id, token, number) values ($1, $2, $3)`, [
          id,
          token,
          number,
        ]);
        await outbox?.enqueue(token, step(number), { tx });
        if (failing-- > 0) throw new Error('on purpose');
      };
      const { inbox, ...opened } = await openInbox(scene, { handler });
      outbox = opened.outbox;
      const another = createInbox({
        store: await scene.openStore(),
        verify,
        id: 'id',
        token: 'data.order',
        databaseSchema: schema,
        handler,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ order: fc.nat(2), times: fc.integer({ min: 1, max: 3 }) }), {
            minLength: 1,
            maxLength: 8,
          }),
          fc.nat(2),
          async (events, failures) => {
            await sql.query(`truncate effects_of_${schema}, ${schema}.events`);
            failing = failures;
            let number = 0;
            const sent: { readonly id: string; readonly token: string; readonly number: number }[] = [];
            for (const { order, times } of events) {
              const token = tokens[order] ?? '';
              const one = { id: `event-${++number}`, token, number };
              sent.push(one);
              const body = event(one.id, token, number);
              const responses = await Promise.all(
                Array.from({ length: times }, (_, index) => deliver(index % 2 ? another : inbox, body)),
              );
              expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 204));
            }
            await until('nothing waits', async () => (await inbox.counts()).queued === 0);
            const { rows } = await sql.query(
              `select id, token, number from effects_of_${schema} order by at`,
            );
            const effects = rows as typeof sent;
            for (const token of tokens)
              expect(effects.filter((each) => each.token === token)).toEqual(
                sent.filter((each) => each.token === token),
              );
          },
        ),
        { numRuns: 8 },
      );
      await another.close();
      await inbox.close();
    } finally {
      await sql.query(`drop table effects_of_${schema}`);
    }
  },
);

onBoth('sends what a handler enqueues, and nothing of what it rolls back', async (scene) => {
  const { service, token } = scene;
  let calls = 0;
  let outbox: Outbox | undefined;
  const opened = await openInbox(scene, {
    handler: async (given, { tx }) => {
      calls++;
      await outbox?.enqueue(given.token, step(calls), { tx });
      if (calls === 1) throw new Error('on purpose');
    },
  });
  outbox = opened.outbox;
  await outbox.start();
  expect((await deliver(opened.inbox, event('one', token))).status).toBe(204);
  await until('it is applied', () => service.ledger.length === 1);
  expect(stepsApplied(service, token)).toEqual([2]);
  await opened.inbox.close();
});

onBoth(
  'needs review after ten failures, holds later events of its order alone, and is handled again',
  async (scene) => {
    const { sql, schema } = scene;
    const handled: string[] = [];
    let isBroken = true;
    const { inbox, warnings } = await openInbox(scene, {
      handler: ({ id }) => {
        if (id === 'bad' && isBroken) throw new Error('no stock');
        handled.push(id);
      },
    });
    await deliver(inbox, event('bad', 'A'));
    await deliver(inbox, event('behind', 'A'));
    await until('its next try is a while off', async () => {
      await inbox.drain();
      return ((await inbox.list({ states: ['queued'] }))[0]?.failures ?? 0) >= 3;
    });
    // A person need not wait for it.
    await sql.query(`update ${schema}.events set due_at = 'tomorrow' where id = 'bad'`);
    expect(await inbox.retry('bad')).toMatchObject({ state: 'queued', failures: 0 });
    await until('it was tried at once', async () => (await inbox.get('bad'))?.failures === 1);
    await deliver(inbox, event('other', 'B'));
    await until('it needs review', async () => {
      await sql.query(`update ${schema}.events set due_at = clock_timestamp() where state = 'queued'`);
      await inbox.drain();
      return (await inbox.counts()).needs_review === 1;
    });
    expect(handled).toEqual(['other']);
    const [bad] = await inbox.list();
    expect(bad).toMatchObject({ id: 'bad', token: 'A', failures: 10, message: 'no stock' });
    // A list of bodies may be larger than memory.
    expect(bad).not.toHaveProperty('payload');
    expect(await inbox.get('bad')).toMatchObject({ payload: { id: 'bad' } });
    expect(warnings).toEqual([
      'The handler failed for the event bad, and is tried again: no stock',
      'The handler failed for the event bad, and is tried again: no stock',
      expect.stringMatching(/bad needs review.*failed 10 times, last: no stock/),
    ]);
    isBroken = false;
    await inbox.retry('bad');
    await inbox.drain();
    expect(handled).toEqual(['other', 'bad', 'behind']);
    await expect(inbox.retry('bad')).rejects.toMatchObject({ code: 'nothing_to_decide' });
    await inbox.close();
  },
);

onBoth(
  'knows the id of an event once its payload is gone, and gives up what a person discards',
  async (scene) => {
    const handled: string[] = [];
    const { inbox } = await openInbox(scene, { handler: ({ id }) => void handled.push(id) });
    await deliver(inbox, event('one', 'A'));
    await inbox.drain();
    expect((await deliver(inbox, event('one', 'A'))).status).toBe(204);
    await inbox.drain();
    expect(handled).toEqual(['one']);
    const [first] = await inbox.list({ states: ['handled'] });
    expect(first).not.toHaveProperty('payload');
    for (const id of ['one', 'none', '\0', '\ud800'])
      await expect(inbox.discard(id)).rejects.toMatchObject({ code: 'nothing_to_decide' });
    expect(await inbox.list({ token: '\0' })).toEqual([]);
    await expect(inbox.list({ states: ['failed' as never] })).rejects.toThrow(
      new TypeError('list: write states as some of queued, handled, needs_review, discarded.'),
    );
    for (const wrong of [undefined, null, 5, {}, ['one']] as never[]) {
      for (const name of ['get', 'retry', 'discard'] as const)
        await expect(inbox[name](wrong)).rejects.toThrow(new TypeError(`${name}: pass the id as a string.`));
      const listing = inbox.list({ token: wrong });
      if (wrong !== undefined)
        await expect(listing).rejects.toThrow(new TypeError('list: pass the token as a string.'));
    }
    await inbox.close();
  },
);

onBothInFull('erases the events of an order with all else of it', async (scene) => {
  const { inbox, outbox } = await openInbox(scene);
  for (const token of ['A', 'B']) await deliver(inbox, event(`of ${token}`, token));
  await inbox.drain();
  await outbox.purge({ token: 'A' });
  expect(await inbox.list({ states: ['queued', 'handled'] })).toMatchObject([{ token: 'B' }]);
  await inbox.close();
});

onBothInFull(
  'lets no handler end the transaction of its event, whose effects would be lost or repeated',
  async (scene) => {
    const { token, sql, schema } = scene;
    const skipped = [' ', ';', '\n', '/**/', '/* a /* b */ -- */', '-- /* a\n', "/* it's */", '--\r'];
    const before = fc.array(fc.constantFrom(...skipped), { maxLength: 4 }).map((parts) => parts.join(''));
    const endings = [
      ...[
        'commit',
        'Commit;',
        'commit and chain',
        'end',
        'END WORK',
        'abort',
        'rollback',
        'ROLLBACK AND CHAIN',
      ],
      ...['rollback/**/transaction', "prepare transaction 'x'", "prepare --\n transaction 'x'"],
      // What PostgreSQL itself refuses.
      ...['select 1; commit', 'do $$ begin commit; end $$', `call commit_of_${schema}()`],
    ];
    const harmless = [
      ...['rollback to mine', 'Rollback/* a */ Work to savepoint mine', 'rollback -- a\n to mine', 'begin'],
      ...['start transaction', 'release savepoint mine', "select 'commit'", 'select 1 -- commit\n'],
    ];
    let statement = '';
    let outbox: Outbox | undefined;
    const { inbox, ...opened } = await openInbox(scene, {
      handler: async (_, { tx }) => {
        await outbox?.enqueue(token, step(1), { tx });
        await tx.query('savepoint mine');
        await tx.query(statement);
        if (endings.some((ending) => statement.endsWith(ending))) throw new Error('It has not failed.');
      },
    });
    outbox = opened.outbox;
    await sql.query(`create procedure commit_of_${schema}() language plpgsql as $$ begin commit; end $$`);
    try {
      let id = 0;
      const handle = async (text: string) => {
        statement = text;
        await deliver(inbox, event(String(++id), token));
        await inbox.drain();
        return inbox.get(String(id));
      };
      await fc.assert(
        fc.asyncProperty(before, fc.constantFrom(...endings), async (skip, ending) => {
          const failed = await handle(skip + ending);
          await inbox.discard(String(id));
          expect(failed?.failures).toBeGreaterThan(0);
          expect(failed?.message).toMatch(
            /throw an error, and it is rolled back|multiple commands|transaction term/,
          );
          expect(await outbox?.history(token)).toEqual([]);
        }),
        { numRuns: 60, examples: endings.map((ending) => ['', ending]) },
      );
      for (const text of harmless) expect(await handle(text)).toMatchObject({ state: 'handled' });
      expect(await outbox.history(token)).toHaveLength(harmless.length);
    } finally {
      await sql.query(`drop procedure commit_of_${schema}`);
    }
    await inbox.close();
  },
);

onPostgres('warns in one line, whatever the id of an event holds', async (scene) => {
  const handler = () => {
    throw new Error('on purpose');
  };
  const { inbox, warnings } = await openInbox(scene, { handler });
  await deliver(inbox, event('one\nstarted \u001b[2J\u2028\u009b', 'A'));
  await until('it has failed', () => warnings.length > 0);
  expect(warnings).toEqual([
    'The handler failed for the event one started  [2J  , and is tried again: on purpose',
  ]);
  await inbox.close();
});

onBothInFull('goes on where warn throws', async (scene) => {
  let calls = 0;
  const { inbox } = await openInbox(scene, {
    warn() {
      throw new Error('of the caller');
    },
    handler() {
      if (++calls === 1) throw new Error('on purpose');
    },
  });
  await deliver(inbox, event('one', 'A'));
  await until('it is handled', async () => (await inbox.list({ states: ['handled'] })).length === 1);
  await inbox.close();
});

onBoth('commits nothing of a handler that returns before what it has begun is done', async (scene) => {
  const { service, sql, schema } = scene;
  const tokens = service.orders.map(({ token }) => token);
  let outbox: Outbox | undefined;
  let late: (() => Promise<unknown>) | undefined;
  type Handler = InboxOptions['handler'];
  const enqueue: Handler = ({ token }, { tx }) => outbox?.enqueue(token, step(1), { tx });
  const change = `update ${schema}.limits set data = 'of a handler' where name = 'rate'`;
  const careless: Record<string, Handler> = {
    'begins an update': (...given) => void enqueue(...given),
    'begins a statement': (_, { tx }) => void tx.query(change),
    'begins both and fails': (...given) => {
      enqueue(...given);
      throw new Error('await: on purpose');
    },
    'goes on after a statement': (event, { tx }) =>
      void tx.query('select 1').then(() => enqueue(event, { tx })),
    'goes on after a statement, while it waits for another': async (event, { tx }) => {
      tx.query('select 1').then(() => enqueue(event, { tx }));
      await tx.query('select 1');
    },
    'begins one for each': (event, { tx }) =>
      [1, 2].forEach(async () => {
        await tx.query('select 1');
        await enqueue(event, { tx });
      }),
    'begins an update that is refused': ({ token }, { tx }) =>
      void outbox?.enqueue(token, step(9), { tx, id: 'no UUID' }),
    'begins the end of its transaction': (_, { tx }) => void tx.query('commit').catch(() => {}),
  };
  const opened = await openInbox(scene, {
    handler: (event, context) => {
      late = () => context.tx.query('select 1');
      return (event.failures === 0 && careless[event.id] ? careless[event.id] : enqueue)?.(event, context);
    },
  });
  outbox = opened.outbox;
  const { inbox, warnings } = opened;
  const names = Object.keys(careless);
  for (const [index, id] of names.entries()) await deliver(inbox, event(id, tokens[index] ?? ''));
  await until('all are handled', async () => {
    await sql.query(`update ${schema}.events set due_at = clock_timestamp() where state = 'queued'`);
    return (await inbox.list({ states: ['handled'] })).length === names.length;
  });
  expect(warnings).toHaveLength(names.length);
  for (const id of names)
    expect(warnings).toContainEqual(
      expect.stringMatching(`^The handler failed for the event ${id}, and is .*(await|commits with)`),
    );
  const { rows } = await sql.query(`select data from ${schema}.limits where name = 'rate'`);
  expect(rows).toEqual([{ data: null }]);
  await outbox.drain();
  for (const token of tokens.slice(0, names.length)) expect(stepsApplied(service, token)).toEqual([1]);
  await expect(late?.()).rejects.toThrow('await all that uses its tx');
  await inbox.close();
});

onBoth('commits what a handler does after an error that it expects', async (scene) => {
  const { service, token } = scene;
  let outbox: Outbox | undefined;
  const id = randomUUID();
  const opened = await openInbox(scene, {
    handler: async (_, { tx }) => {
      const enqueue = (number: number) => outbox?.enqueue(token, step(number), { tx, id });
      await enqueue(1);
      await expect(enqueue(2)).rejects.toMatchObject({ code: 'duplicate_id' });
      await Promise.allSettled([enqueue(3), enqueue(4)]);
    },
  });
  outbox = opened.outbox;
  await deliver(opened.inbox, event('one', token));
  await until('it is handled', async () => (await opened.inbox.get('one'))?.state === 'handled');
  await outbox.drain();
  expect([stepsApplied(service, token), opened.warnings]).toEqual([[1], []]);
  await opened.inbox.close();
});

// On PostgreSQL, a handler has 10 s: deliveries has some that hang there.
onPglite('ends a handler that hangs, whose later statements fail, and tries again', async (scene) => {
  const { sql, schema } = scene;
  let late: Promise<unknown> | undefined;
  let calls = 0;
  const { inbox } = await openInbox(scene, {
    handler: async (_, { tx }) => {
      if (++calls > 1) return;
      await tx.query(`update ${schema}.limits set data = 'of a handler' where name = 'rate'`);
      late = delay(2_500).then(() => tx.query('select 1'));
      late.catch(() => {});
      await late;
    },
  });
  await deliver(inbox, event('slow', 'A'));
  await until('it is handled', async () => (await inbox.list({ states: ['handled'] })).length === 1);
  await expect(late).rejects.toThrow('took longer than 2 s');
  const { rows } = await sql.query(`select data from ${schema}.limits where name = 'rate'`);
  expect(rows).toEqual([{ data: null }]);
  await inbox.close();
});

onPglite(
  'closes within a bound, and says so, where its database does not respond',
  async (scene) => {
    const store = await scene.openStore();
    let isFrozen = false;
    const respond = <Result>(run: () => Promise<Result>): Promise<Result> =>
      isFrozen ? new Promise(() => {}) : run();
    const frozen: InboxOptions['store'] = {
      ...store,
      transaction: (...call) => respond(() => store.transaction(...call)),
      executeSql: (...call) => respond(() => store.executeSql(...call)),
    };
    const { inbox, warnings } = await openInbox(scene, { store: frozen });
    isFrozen = true;
    void inbox.drain();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closing = inbox.close();
      await vi.advanceTimersByTimeAsync(15_000);
      await closing;
    } finally {
      vi.useRealTimers();
    }
    expect(warnings).toEqual([expect.stringMatching(/The inbox closed, since .* has not responded/)]);
  },
  { isAlone: true },
);

onBoth('refuses an enqueue that would not commit with its event', async (scene) => {
  const { sql, schema, token } = scene;
  let outbox: Outbox | undefined;
  const opened = await openInbox(scene, {
    handler: async () => void (await outbox?.enqueue(token, step(1))),
  });
  outbox = opened.outbox;
  await deliver(opened.inbox, event('one', token));
  await until('it has failed', async () => {
    const [waiting] = await opened.inbox.list({ states: ['queued'] });
    return (waiting?.failures ?? 0) > 0;
  });
  const [first] = await opened.inbox.list({ states: ['queued'] });
  expect(first?.message).toMatch(/within a handler of the inbox, pass its \{ tx \}/);
  expect(await opened.outbox.counts()).toMatchObject({ queued: 0 });
  await sql.query(`delete from ${schema}.events`);
  await opened.inbox.close();
});

onBothInFull(
  'lets what a handler has started enqueue by itself once it has returned or thrown',
  async (scene) => {
    const { token } = scene;
    const hasEnded = Promise.withResolvers<void>();
    const accepted: Promise<string | undefined>[] = [];
    let outbox: Outbox | undefined;
    const { inbox, ...opened } = await openInbox(scene, {
      handler({ failures }) {
        accepted.push(hasEnded.promise.then(() => outbox?.enqueue(token, step(1))));
        if (failures === 0) throw new Error('on purpose');
      },
    });
    outbox = opened.outbox;
    await deliver(inbox, event('one', token));
    await until('it is handled', async () => (await inbox.get('one'))?.state === 'handled');
    hasEnded.resolve();
    expect(await Promise.all(accepted)).toEqual([expect.any(String), expect.any(String)]);
    await inbox.close();
  },
);

onPostgres(
  'stores nothing that is forged, malformed or too much, and says so by its status',
  async (scene) => {
    const { inbox, warnings } = await openInbox(scene, {
      maxBytes: 3_000,
      maxWaiting: 2,
      handler: () => Promise.reject(new Error('never')),
    });
    const status = async (
      ...call: Parameters<typeof deliver> extends [unknown, ...infer Rest] ? Rest : never
    ) => (await deliver(inbox, ...call)).status;
    const good = event('good', 'A');
    expect(await status(good, { signature: 'forged' })).toBe(401);
    expect(await status(`${good} `, { signature: sign(good) })).toBe(401);
    // What `verify` throws is not for the sender.
    expect(await status('{', { signature: sign('{') })).toBe(401);
    expect(await status('x'.repeat(3_001))).toBe(413);
    const unknown = {
      'it has no id': [JSON.stringify({ data: { order: 'A' } }), event('', 'A'), event('\ufeff1', 'A')],
      'it has no token': [JSON.stringify({ id: 'one', data: {} }), event('1', '\ufeffA')],
      'its id has more than 500 bytes': [event('x'.repeat(501), 'A'), event('ö'.repeat(251), 'A')],
      'its token has more than 2000 bytes': [event('1', 'x'.repeat(2_001))],
    };
    warnings.length = 0;
    for (const [why, bodies] of Object.entries(unknown)) {
      for (const body of bodies) {
        const refused = await deliver(inbox, body);
        expect([refused.status, await refused.text()]).toEqual([
          422,
          `The event cannot be stored: ${why}.\n`,
        ]);
      }
      // Its operator has to know, once.
      expect(warnings.splice(0)).toEqual([
        expect.stringContaining(`422 to an event: ${why}. Check the option`),
      ]);
    }
    expect((await inbox.receive(new Request('https://shop.example/hooks'))).status).toBe(405);
    expect(await inbox.counts()).toEqual({ queued: 0, needs_review: 0 });
    expect([
      await status(event('1', 'A')),
      await status(event('2', 'A')),
      await status(event('3', 'A')),
    ]).toEqual([204, 204, 503]);
    expect(await status(event('4', 'B'))).toBe(204);
    await inbox.close();
    expect(await status(event('5', 'B'))).toBe(503);
  },
);

onPostgres('gives verify the bytes as they came, and sends the Response that it throws', async (scene) => {
  const bytes = new Uint8Array([
    0xef,
    0xbb,
    0xbf,
    ...Buffer.from('{"id":"1",\r\n "data":{"order":"ä"}}\r\n'),
  ]);
  const seen: Uint8Array[] = [];
  const { inbox } = await openInbox(scene, {
    verify: (body, request) => {
      seen.push(body);
      if (request.headers.get('x-signature') === 'later') throw new Response(null, { status: 503 });
      return JSON.parse(new TextDecoder().decode(body));
    },
  });
  expect((await deliver(inbox, bytes)).status).toBe(204);
  expect(seen).toEqual([bytes]);
  expect((await deliver(inbox, bytes, { signature: 'later' })).status).toBe(503);
  expect(await inbox.list({ states: ['queued', 'handled'] })).toMatchObject([{ id: '1', token: 'ä' }]);

  // A stream may fill one buffer again.
  const buffer = Buffer.alloc(8);
  let piece = 0;
  const pieces = ['{"id":"2', '"       ', '       }'];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        const text = pieces[piece++];
        if (text === undefined) return stream.close();
        buffer.fill(text);
        stream.enqueue(buffer);
      },
    },
    { highWaterMark: 0 },
  );
  const request = { method: 'POST', body, duplex: 'half' as const };
  await inbox.receive(new Request('https://shop.example/hooks', request));
  expect(Buffer.from(seen.at(-1) ?? []).toString()).toMatch(/^{"id":"2"\s+}/);
  await inbox.close();
});

onPostgres('is served by node:http, but not behind a parser of bodies', async (scene) => {
  const { inbox } = await openInbox(scene, {
    verify: 'none',
    token: (given, request) =>
      given === undefined ? new URL(request.url).searchParams.get('order') : 'from the body',
  });
  const listener = fromNode(inbox);
  const server = createServer((request, response) => {
    // As parsers of bodies do that know the type of a body, and that do not.
    if (request.url?.startsWith('/skipped')) Object.assign(request, { body: {} });
    if (request.url?.startsWith('/parsed'))
      request.resume().once('end', () => void listener(request, response));
    else if (request.url?.startsWith('/begun')) request.once('data', () => void listener(request, response));
    else void listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const post = (path: string, body: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body });
  expect((await post('/hooks?order=A', event('1', 'B'))).status).toBe(204);
  for (const path of ['/parsed', '/begun']) {
    const refused = await post(`${path}?order=A`, event('2', 'B'));
    expect([refused.status, await refused.text()]).toEqual([500, expect.stringMatching(/was read before/)]);
  }
  expect((await post('/skipped?order=A', event('3', 'B'))).status).toBe(204);
  expect((await post('/hooks?order=A', '\xff{')).status).toBe(400);
  expect((await fetch(`http://127.0.0.1:${port}/hooks`)).status).toBe(405);
  const raw = (head: string) =>
    new Promise<string>((resolve) => {
      const socket = connectTcp(port, '127.0.0.1', () =>
        socket.end(`${head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`),
      );
      socket.once('data', (data) => resolve(String(data).slice(9, 12)));
    });
  expect(await raw('TRACE / HTTP/1.1\r\nhost: a')).toBe('405');
  expect(await raw('POST / HTTP/1.1\r\nhost: a b')).toBe('400');
  expect(await raw('POST http://u:p@x/ HTTP/1.1\r\nhost: a')).toBe('400');
  expect(await inbox.list({ states: ['queued', 'handled'] })).toMatchObject([
    { id: '1', token: 'A' },
    { id: '3', token: 'A' },
  ]);
  server.close();
  await inbox.close();
});

onPostgres(
  'responds with 503 where verify cannot know whether an event is genuine, and warns',
  async (scene) => {
    let error: unknown;
    const { inbox, warnings } = await openInbox(scene, {
      verify() {
        if (error) throw error;
        return { id: '1', data: { order: 'A' } };
      },
    });
    const thrown = async (make: () => unknown) => {
      error = await Promise.resolve()
        .then(make)
        .catch((reason) => reason);
      warnings.length = 0;
      const statuses = [(await deliver(inbox, '{}')).status, (await deliver(inbox, '{}')).status];
      error = undefined;
      expect((await deliver(inbox, '{}')).status).toBe(204);
      expect(warnings).toEqual([expect.stringMatching(/^verify threw .* responds with (503|401)\.$/)]);
      expect(warnings[0]).not.toContain(secret);
      expect(statuses[0]).toBe(statuses[1]);
      return statuses[0];
    };
    const withCode = (code: string) => Object.assign(new Error('as jose has it'), { code });
    const away = 'http://127.0.0.1:9/';
    const bug = {} as { readonly missing: { readonly secret: string } };
    for (const cannotKnow of [
      () => withCode('ERR_JWKS_TIMEOUT'),
      () => withCode('CERT_HAS_EXPIRED'),
      () => withCode('ERR_NETWORK'),
      () => withCode('ERR_SOCKET_CONNECTION_TIMEOUT'),
      () => withCode('EAI_AGAIN'),
      () => withCode('ESERVFAIL'),
      () => withCode('ETIMEOUT'),
      () => withCode('ESOCKETTIMEDOUT'),
      () => withCode('ERR_CANCELED'),
      () => withCode('ABORT_ERR'),
      () => withCode('PROTOCOL_CONNECTION_LOST'),
      () => withCode('57P01'),
      () => withCode('ERR_JOSE_GENERIC'),
      () => fetch(away),
      () => fetch(away, { signal: AbortSignal.timeout(0) }),
      () => fetch(away, { signal: AbortSignal.abort() }),
      () => new pg.Client({ host: '127.0.0.1', port: 9 }).connect(),
      () => scene.sql.query('select 1/0'),
      () => new Error('Connection terminated unexpectedly'),
      () => new Error('the keys', { cause: new Error('timeout exceeded when trying to connect') }),
      () => new OutboxError('database_unusable', 'away'),
      () => bug.missing.secret,
      () => 'x'.repeat(-1),
    ])
      expect(await thrown(cannotKnow), String(cannotKnow)).toBe(503);
    for (const isForged of [
      () => withCode('ERR_JWS_SIGNATURE_VERIFICATION_FAILED'),
      () => withCode('ERR_JWKS_NO_MATCHING_KEY'),
      () => timingSafeEqual(Buffer.from('a'), Buffer.from('bc')),
      () => JSON.parse('{'),
      () => JSON.parse('connect=1'),
      () => withCode('EXPIRED_TOKEN'),
      () => {
        const own = new Error('its own cause');
        throw Object.assign(own, { cause: own });
      },
      () => new Error(`no signature by ${secret}`),
      () => secret,
    ])
      expect(await thrown(isForged), String(isForged)).toBe(401);
    await inbox.close();
  },
);

onPostgres(
  'stores what verify returns as it is, or refuses it and names what JSON would change',
  async (scene) => {
    let returned: unknown;
    let count = 0;
    const { inbox, warnings } = await openInbox(scene, {
      verify: () => returned,
      id: () => `event-${count}`,
      token: () => 'A',
      handler: () => Promise.reject(new Error('never')),
    });
    const store = async (value: unknown) => {
      returned = value;
      count++;
      warnings.length = 0;
      const { status } = await deliver(inbox, '{}');
      const stored = await inbox.get(`event-${count}`);
      return { status, stored, warned: warnings.filter((warning) => warning.startsWith('verify')) };
    };
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    for (const [value, what] of [
      [true, 'true is no event'],
      [new URLSearchParams('a=b'), 'event is an instance of URLSearchParams'],
      [{ id: new Date() }, 'event.id is an instance of Date'],
      [{ data: [{ at: Number.NaN }] }, 'event.data.0.at is NaN'],
      [{ tags: new Set(['a']) }, 'event.tags is an instance of Set'],
      [Buffer.from('{}'), 'event is an instance of Buffer'],
      [[undefined], 'event.0 is of type undefined'],
      [{ id: 1n }, 'event.id is of type bigint'],
      [{ id: { toJSON: () => 'another' } }, 'event.id.toJSON is of type function'],
      [cycle, 'circular'],
      [Symbol('event'), 'event is of type symbol'],
    ] as const) {
      expect(await store(value), what).toEqual({ status: 422, warned: [expect.stringContaining(what)] });
      // Until an event is stored again, no other is warned of: anybody may send it.
      expect(await store({ [`other${count}`]: Number.NaN })).toEqual({ status: 422, warned: [] });
      expect(await store({ id: '1' })).toMatchObject({ status: 204 });
    }
    const long = await store({ ['x'.repeat(9_000)]: Number.NaN });
    expect(long.warned[0]?.length).toBeLessThan(400);
    for (const none of [undefined, null, false, Number.NaN])
      expect(await store(none)).toEqual({ status: 401, warned: [] });
    expect(await store({ id: '1', more: undefined })).toMatchObject({
      status: 204,
      stored: { payload: { id: '1' } },
    });
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue().filter((value) => typeof value === 'object' && value !== null),
        async (value) => {
          const { status, stored } = await store(value);
          expect([status, JSON.stringify(stored?.payload)]).toEqual([204, JSON.stringify(value)]);
        },
      ),
      { numRuns: 30 },
    );
    await inbox.close();
  },
);

test('makes the URL of a request from its connection and its host, or takes a whole one', async () => {
  const urls: string[] = [];
  const listener = fromNode({
    async receive({ url }) {
      urls.push(url);
      return new Response();
    },
  });
  const plain = createServer(listener).listen(0, '127.0.0.1');
  const secure = createSecureServer(await certifyServer(await createAuthority('outbox')), listener).listen(
    0,
    '127.0.0.1',
  );
  for (const [server, path] of [
    [plain, '/hooks?a=b'],
    [plain, '//other/hooks'],
    [plain, 'http://proxied:1/hooks'],
    [secure, '/hooks'],
  ] as const) {
    await until('it listens', () => server.listening);
    const { port } = server.address() as AddressInfo;
    const options = { port, path, method: 'POST', headers: { host: 'shop' }, rejectUnauthorized: false };
    const sent = (server === secure ? requestSecurely : request)(options).end();
    const [response] = await once(sent, 'response');
    response.resume();
  }
  expect(urls).toEqual([
    'http://shop/hooks?a=b',
    'http://shop//other/hooks',
    'http://proxied:1/hooks',
    'https://shop/hooks',
  ]);
  plain.close();
  secure.close();
});

onPostgres('ends a stream of HTTP/2 whose body is too long, and goes on in its session', async (scene) => {
  const { inbox } = await openInbox(scene, { maxBytes: 1_000 });
  const server = createHttp2Server(fromNode(inbox) as never).listen(0, '127.0.0.1');
  const ended = once(server, 'stream').then(([stream]) => once(stream, 'close'));
  await until('it listens', () => server.listening);
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const post = { ':method': 'POST', ':path': '/' };
  const tooLong = session.request(post);
  tooLong.write('x'.repeat(1_000_000));
  const [headers] = await once(tooLong, 'response');
  expect(headers[':status']).toBe(413);
  await ended;
  const body = event('1', 'A');
  const good = session.request({ ...post, 'x-signature': sign(body) }).end(body);
  expect((await once(good, 'response'))[0][':status']).toBe(204);
  session.destroy();
  server.close();
  await inbox.close();
});

onPostgres('never rejects, whatever Response it is to send', async (scene) => {
  const gone = new Response('unknown hook', {
    status: 404,
    headers: [
      ['set-cookie', 'a'],
      ['set-cookie', 'b'],
    ],
  });
  const used = new Response('used');
  await used.text();
  const thrown = { gone, used, error: Response.error() };
  const { inbox } = await openInbox(scene, {
    verify(_, { url }) {
      throw thrown[new URL(url).pathname.slice(1) as keyof typeof thrown];
    },
  });
  const received: Record<string, () => unknown> = {
    broken: () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('broken')) })),
    error: () => Response.error(),
    nothing: () => undefined,
    unsendable: () => new Response('no', { headers: { 'content-length': '999', 'x-why': 'a\x01b' } }),
    rejected: () => Promise.reject(new Error('of the caller')),
  };
  const stored = { receive: async () => new Response(null, { status: 204 }) };
  const failures: unknown[] = [];
  const server = createServer({ rejectNonStandardBodyWrites: true }, (request, response) => {
    const [, kind, name = ''] = request.url?.split('/') ?? [];
    const receive = kind === 'stored' ? stored.receive : async () => received[name]?.() as Response;
    if (kind === 'received' || kind === 'stored')
      fromNode({ receive })(request, response).catch((error) => failures.push(error));
    else fromNode(inbox)(request, response).catch((error) => failures.push(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const post = (path: string) => fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', body: '{}' });
  expect((await post('stored')).status).toBe(204);
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' })).status).toBe(405);
  for (let time = 0; time < 2; time++) {
    const response = await post('gone');
    expect([response.status, await response.text()]).toEqual([404, 'unknown hook']);
    expect(response.headers.getSetCookie()).toEqual(['a', 'b']);
    for (const path of ['used', 'error', ...Object.keys(received).map((name) => `received/${name}`)])
      await expect(
        post(path).then(async (sent) => [sent.status, await sent.text()]),
        path,
      ).resolves.toEqual([500, expect.any(String)]);
  }
  expect(failures).toEqual([]);
  server.close();
  await inbox.close();
});

test.each(['the inbox has responded', 'its response was read'])(
  'lets a response go on that another handler has begun before %s',
  async (when) => {
    const begun = Promise.withResolvers<void>();
    const text = new ReadableStream({
      async pull(stream) {
        await begun.promise;
        stream.enqueue(Buffer.from('late'));
        stream.close();
      },
    });
    const receive = async (): Promise<Response> => {
      if (when === 'the inbox has responded') await begun.promise;
      return new Response(text, { status: 401 });
    };
    const server = createServer(async (request, response) => {
      const responding = fromNode({ receive })(request, response);
      // The inbox has come to where it waits.
      await delay(0);
      response.writeHead(503).write('a limit ');
      begun.resolve();
      await responding;
      response.end('of time');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' });
    expect([response.status, await response.text()]).toEqual([503, 'a limit of time']);
    server.close();
  },
);

onPostgres('handles nothing twice though its connection ends while a handler runs', async (scene) => {
  const { sql, schema } = scene;
  await sql.query(`create table effects_of_${schema} (id text)`);
  let calls = 0;
  const { inbox } = await openInbox(scene, {
    handler: async ({ id }, { tx }) => {
      await tx.query(`insert into effects_of_${schema} values ($1)`, [id]);
      if (++calls === 1) await tx.query('select pg_terminate_backend(pg_backend_pid())');
    },
  });
  await deliver(inbox, event('one', 'A'));
  await until('it is handled', async () => (await inbox.list({ states: ['handled'] })).length === 1);
  expect((await sql.query(`select id from effects_of_${schema}`)).rows).toEqual([{ id: 'one' }]);
  expect(calls).toBe(2);
  await sql.query(`drop table effects_of_${schema}`);
  await inbox.close();
});

for (const [how, waitForEnd] of [
  [
    'idles',
    async ({ sql }: Scene, pid: number) =>
      until('its connection has ended', async () => {
        const { rows } = await sql.query('select from pg_stat_activity where pid = $1', [pid]);
        return rows.length === 0;
      }),
  ],
  // It reads why only after it has sent its next statement.
  ['blocks its process', (_scene: Scene, pid: number) => waitForExit(pid)],
] as const)
  onPostgres(
    `counts it as a failure where PostgreSQL ends the transaction of a handler that ${how}`,
    async (scene) => {
      const { inbox, warnings } = await openInbox(scene, {
        // A second one may handle the event before this one has noted the failure.
        concurrency: 1,
        async handler({ failures }, { tx }) {
          if (failures > 0) return;
          const { rows } = await tx.query('select pg_backend_pid() as pid');
          const { pid } = rows[0] as { pid: number };
          await tx.query('set local idle_in_transaction_session_timeout = 10');
          await waitForEnd(scene, pid);
        },
      });
      await deliver(inbox, event('one', 'A'));
      await until('it is handled', async () => (await inbox.get('one'))?.state === 'handled');
      expect(await inbox.get('one')).toMatchObject({ failures: 1 });
      expect(warnings).toEqual([
        expect.stringMatching(/^The handler failed for the event one, .* blocked it for/),
      ]);
      await inbox.close();
    },
  );

/** Lets nothing else of this process run until another one has ended. */
function waitForExit(pid: number): void {
  try {
    for (;;) process.kill(pid, 0);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

onBoth('names an event whose row cannot be read, and lets a person decide', async (scene) => {
  const { sql, schema } = scene;
  const handled: string[] = [];
  const before = await openInbox(scene, { handler: () => Promise.reject(new Error('not yet')) });
  for (const [id, token] of [
    ['state', 'A'],
    ['behind', 'A'],
    ['payload', 'B'],
    ['null', 'C'],
  ] as const)
    await deliver(before.inbox, event(id, token));
  await before.inbox.close();
  await sql.query(`update ${schema}.events set due_at = clock_timestamp() where due_at < 'infinity'`);
  await sql.query(`update ${schema}.events set state = 'done' where id = 'state'`);
  await sql.query(`update ${schema}.events set payload = 'no JSON', failures = 9 where id = 'payload'`);
  await sql.query(`update ${schema}.events set payload = null, failures = 9 where id = 'null'`);
  const { inbox, warnings } = await openInbox(scene, { handler: ({ id }) => void handled.push(id) });
  await until('they need review', async () => (await inbox.counts()).needs_review === 3);
  expect(await inbox.list()).toMatchObject([
    { id: 'state', message: 'Its state in the database was done' },
    { id: 'payload', message: 'Its payload in the database is no JSON.' },
    { id: 'null', message: 'Its payload in the database is no JSON.' },
  ]);
  for (const id of ['state', 'payload', 'null'])
    expect(warnings).toContainEqual(expect.stringContaining(`The event ${id} needs review`));
  await inbox.retry('state');
  for (const id of ['payload', 'null']) await inbox.discard(id);
  await inbox.drain();
  expect(handled).toEqual(['state', 'behind']);
  await inbox.close();
});

onBoth(
  'counts a failure at the commit, and what cannot be described, and goes on with other orders',
  async (scene) => {
    const { sql, schema } = scene;
    await sql.query(
      `create table deferred_of_${schema} (id text, unique (id) deferrable initially deferred)`,
    );
    const handled: string[] = [];
    const circular: { self?: unknown } = {};
    circular.self = circular;
    const { inbox } = await openInbox(scene, {
      handler: async ({ id }, { tx }) => {
        if (id === 'circular') throw circular;
        if (id === 'deferred') await tx.query(`insert into deferred_of_${schema} values ('a'), ('a')`);
        handled.push(id);
      },
    });
    for (const [index, id] of ['circular', 'deferred', 'good'].entries())
      await deliver(inbox, event(id, `order-${index}`));
    await until(
      'the good one is handled',
      async () => (await inbox.list({ states: ['handled'] })).length === 1,
    );
    await inbox.drain();
    const waiting = await inbox.list({ states: ['queued'] });
    expect(waiting.map(({ id, failures }) => [id, failures > 0])).toEqual([
      ['circular', true],
      ['deferred', true],
    ]);
    await inbox.close();
    await sql.query(`drop table deferred_of_${schema}`);
  },
);

onPostgres(
  'drains all events of an order, and begins no statement once the time of a handler is over',
  async (scene) => {
    const handled: string[] = [];
    const { inbox } = await openInbox(scene, {
      concurrency: 3,
      handler: async ({ id }, { tx }) => {
        await Promise.all([tx.query('select pg_sleep(0.1)'), tx.query('select pg_sleep(0.1)')]);
        handled.push(id);
      },
    });
    for (const id of ['1', '2', '3']) await deliver(inbox, event(id, 'A'));
    await inbox.drain();
    expect(handled).toEqual(['1', '2', '3']);
    await inbox.close();
  },
);
