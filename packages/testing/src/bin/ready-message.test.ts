import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatReadyMessage } from './ready-message.ts';

const run = promisify(execFile);
const curlLines = (message: string) => message.match(/(?<=^ {2})curl .*$/gm) ?? [];

test('speaks of the control API only where there is one', () => {
  const service = { url: 'http://127.0.0.1:4010', tokens: ['ord_1'], madeKey: 'k' };
  const without = formatReadyMessage({ ...service, control: false });
  const with_ = formatReadyMessage({ ...service, control: true });
  expect([without.includes('_control'), curlLines(without).length]).toEqual([false, 1]);
  expect([with_.startsWith(without), curlLines(with_).length]).toEqual([true, 2]);
  expect(with_).toContain('Control API: http://127.0.0.1:4010/_control\n');
});

test('its lines are the same words to a shell, whatever key, token and address they hold', async () => {
  const word = fc.string({ unit: 'binary-ascii', minLength: 1 }).filter((text) => !/[\p{Cc}:]/u.test(text));
  await fc.assert(
    fc.asyncProperty(word, word, async (madeKey, token) => {
      const message = formatReadyMessage({
        url: 'http://[::1]:4010',
        tokens: [token],
        madeKey,
        control: true,
      });
      const script = curlLines(message).map((line) => line.replace(/^curl/, "printf '%s\\n'"));
      const { stdout } = await run('sh', ['-c', script.join('\n')]);
      const words = stdout.split('\n');
      expect(words.filter((each) => each === `${madeKey}:`)).toHaveLength(2);
      expect(words).toContain(`http://[::1]:4010/v2/orders/${encodeURIComponent(token)}`);
      expect(words).toContain('http://[::1]:4010/_control/faults');
      expect(words).toContain('{"when":"next","play":{"fault":"status","status":503}}');
    }),
    { numRuns: 25 },
  );
});
