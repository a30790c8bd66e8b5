import { registerHooks } from 'node:module';

/** A change of the engine that breaks a promise: a simulation that does not find it sees too little. */
interface Mutation {
  /** Below packages/outbox/src. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Mutations by name. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'the age of a claim is not checked': {
    file: 'send.ts',
    from: 'isExpired = leftMs() < 0;',
    to: 'isExpired = false;',
  },
  'an update is sent before its mark is committed': {
    file: 'turn.ts',
    from: 'return parts.store.transaction((tx) => runTurn(tx, parts, plan), { worker: true, settings });',
    to: `return new Promise((resolve, reject) => {
      parts.store.transaction(async (tx) => {
        const result = await runTurn(tx, parts, plan);
        resolve(result);
        return result;
      }, { worker: true, settings }).catch(reject);
    });`,
  },
  'the attempt of a job is no fence': {
    file: 'queue.ts',
    from: 'return { id, retryCount };',
    to: 'return id as never;',
  },
  'orders without a job are not looked for': {
    file: 'sweep.ts',
    from: 'await queue.insert(tx, locked);',
    to: '',
  },
  'the breaker never opens': {
    file: 'turn.ts',
    from: 'if (outcomes.map(toObservation).every((each) => isUneventful(known, each)))',
    to: '',
  },
  'two refused keys do not open the breaker': {
    file: 'health.ts',
    from: 'const maxRefused = 2;',
    to: 'const maxRefused = 1_000;',
  },
  'a late response is ignored': {
    file: 'statements.ts',
    from: `and (u.state = 'sending' or u.state = 'needs_review' and given.state <> 'needs_review')`,
    to: `and u.state = 'sending'`,
  },
  'an outcome overwrites what a person decided': {
    file: 'statements.ts',
    from: ` and u.claim is not distinct from given.claim
  and (u.state = 'sending' or u.state = 'needs_review' and given.state <> 'needs_review')`,
    to: '',
  },
  'an order is sent by arrival': {
    file: 'statements.ts',
    from: 'where token = given.token and open order by position limit 1\n       ) as u on true',
    to: 'where token = given.token and open order by accepted_position limit 1\n       ) as u on true',
  },
  'an unreadable job fails the turn (O28)': {
    file: 'queue.ts',
    from: 'singletonKey ? [{ id, retryCount, token: singletonKey }] : [],',
    to: '[{ id, retryCount, token: (singletonKey as string).toString() }],',
  },
  'credentials are read after the claim (O29)': {
    file: 'send.ts',
    from: '...(credentials && { credentials }),',
    to: '',
  },
  'the pause after a 429 is not stored': {
    file: 'turn.ts',
    from: 'if (pauseMs > 0) await pause(tx, schema, pauseMs);',
    to: '',
  },
  'an unknown outcome does not hold its order': {
    file: 'settlement.ts',
    from: `open: true, state: 'needs_review'`,
    to: `open: false, state: 'needs_review'`,
  },
  'what a lost worker sent is sent again': {
    file: 'send.ts',
    from: 'return chooseUnknown(parts, head, { failure: workerLost',
    to: `return chooseUnknown({ ...parts, onUnknown: 'resend' }, head, { failure: workerLost`,
  },
  'an unknown outcome counts as not sent': {
    file: 'settlement.ts',
    from: `if (error.outcome !== 'not_sent') return undefined;`,
    to: '',
  },
  'what is sent again keeps its place': {
    file: 'decide.ts',
    from: 'position = coalesce($4::bigint, position)',
    to: 'position = coalesce(position, $4::bigint)',
  },
  'orders are held without a sign of life': {
    file: 'worker.ts',
    from: 'unconfirmedMs(lane) >= confirmMs,',
    to: 'unconfirmedMs(lane) >= 1_000 * confirmMs,',
  },
  'nothing is called stalled': {
    file: 'held.ts',
    from: '  if (is_old) {',
    to: '  if (is_old && false) {',
  },
  'a worker that was given up goes on after a close': {
    file: 'outbox.ts',
    from: 'executeSql: async (text, values) => opened().executeSql(text, values),',
    to: '',
  },
  'ids of events are kept no longer than their payloads': {
    file: 'inbox-handlers.ts',
    from: '[Math.min(keepIdsMs, 1e12)]',
    to: '[0]',
  },
  'a repeated event is handled again': {
    file: 'inbox.ts',
    from: 'if (row?.is_known) return true;',
    to: `if (row?.is_known) {
        await tx.query(\`update \${table} set state = 'queued', payload = $2 where id = $1\`, [eventId, payload]);
        return true;
      }`,
  },
  'what a handler did is kept where it fails': {
    file: 'inbox-handlers.ts',
    from: `await tx.query('rollback to savepoint orders_inbox');`,
    to: '',
  },
  'jobs of lost workers are not looked for': {
    file: 'monitor.ts',
    from: 'await queue.supervise();',
    to: '',
  },
};

/** Loads the engine with a mutation, if it was not loaded before. @throws Error where the text to change is not found once */
export function mutate(name: string): void {
  const mutation = mutations[name];
  if (!mutation) throw new Error(`There is no mutation "${name}": ${Object.keys(mutations).join('; ')}.`);
  const { file, from, to } = mutation;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/packages/outbox/src/${file}`)) return loaded;
      const source = String(loaded.source);
      if (source.split(from).length !== 2) throw new Error(`"${name}": its text is not in ${file} once.`);
      return { ...loaded, source: source.replace(from, () => to) };
    },
  });
}
