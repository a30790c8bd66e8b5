import { expect, test } from 'vitest';
import { type Advice, adviceIn, between } from '../../../.ci/advice.ts';
import { runConformance } from './conformance.ts';
import { startMockOrderService } from './index.ts';

const messageOf = async (call: () => Promise<unknown>): Promise<string> => {
  try {
    await call();
    return 'passed';
  } catch (error) {
    return (error as Error).message;
  }
};
const startWith = (options: object): Promise<string> =>
  messageOf(async () => (await startMockOrderService(options)).close());

await using service = await startMockOrderService();
const sendTo = (url: string): Promise<string> =>
  messageOf(() => service.webhooks.send('start_qr_session', { url }));

const table: readonly Advice[] = [
  {
    mistake: 'a percent sign in the password of a URL',
    message: await sendTo('http://user:50%@127.0.0.1:1/'),
    follow: (message) => {
      const [mark = '', written = ''] = between('write ', '.')(message).split(' as ');
      return decodeURIComponent(new URL(`http://user:${'50%'.replace(mark, written)}@127.0.0.1/`).password);
    },
    means: '50%',
  },
  {
    mistake: 'no URL',
    message: await messageOf(() => runConformance({ baseUrl: 'api.example', apiKey: 'key' } as never)),
    choice: 'baseUrl: write a whole URL, such as https://api.example.com.',
    heeded: await messageOf(() =>
      runConformance({ baseUrl: service.url, apiKey: service.key, only: ['echo-accepts-key'] }),
    ),
  },
  {
    mistake: 'a method in small letters',
    message: await messageOf(async () => service.requests({ method: 'options' })),
    follow: between('write "', '"'),
    means: 'OPTIONS',
  },
  {
    mistake: 'a count that is none',
    message: await messageOf(() => service.waitForRequests(Number.NaN)),
    choice: 'write a whole number of requests, not NaN.',
    heeded: await messageOf(() => service.waitForRequests(0)),
  },
  {
    mistake: 'an option of another name',
    message: await startWith({ ordres: 1 }),
    follow: between('Did you mean "', '"'),
    means: 'orders',
  },
  {
    mistake: 'an option in another unit',
    message: await startWith({ latencySeconds: 1 }),
    choice: 'now, onRequest.',
    heeded: await startWith({ now: () => 0, onRequest() {} }),
  },
];

test.each(table)(
  'the advice about $mistake keeps what was meant, or names the choice',
  ({ message, follow, means, choice, heeded }) => {
    expect(message).not.toBe('passed');
    if (follow) expect(follow(message)).toEqual(means);
    else expect([message.slice(-(choice?.length ?? 0)), heeded]).toEqual([choice, 'passed']);
  },
);

test('every advice in the sources has its row in this table', () => {
  const open = adviceIn(import.meta.dirname).filter(
    (advice) => !table.some(({ message }) => advice.test(message)),
  );
  expect(open).toEqual([]);
});
