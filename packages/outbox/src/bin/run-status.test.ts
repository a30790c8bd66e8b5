import { expect } from 'vitest';
import { inFolder } from '../../test/bin/in-folder.ts';
import { writtenScreen } from '../../test/bin/written-screen.ts';
import { onPglite, step, until } from '../../test/scene.ts';
import { answerQuestions } from './answer-questions.ts';
import { askWorker } from './ask-worker.ts';
import { operationsOf } from './operations.ts';
import { showStatus, watchStatus } from './run-status.ts';

const schema = 'orders_outbox';

onPglite('shows an outbox once, as a table or as one object', async ({ open, token }) => {
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  const operations = operationsOf(outbox, { place: 'here', isAlone: true });
  const screen = writtenScreen();
  await showStatus(operations, false, screen);
  expect(screen.printed.join('')).toMatch(/updates queued +│ +1 /);
  await showStatus(operations, true, screen);
  expect(JSON.parse(screen.printed.at(-1) ?? '')).toMatchObject({
    place: 'here',
    queued: 1,
    parked: 0,
    oldestQueuedAt: expect.stringMatching(/Z$/),
    lanes: { waiting: 1, active: 0, held: 0 },
    note: 'No "orders-outbox work" is on it.',
  });
});

onPglite('says what becomes of updates that a process left while it sent them', async (scene) => {
  const { open, sql, schema: own, token } = scene;
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  await sql.query(`update ${own}.updates set state = 'sending'`);
  await sql.query(`update ${own}.lanes set state = 'fed'`);
  const screen = writtenScreen();
  await showStatus(operationsOf(outbox, { place: 'here', isAlone: true }), false, screen);
  expect(screen.printed.join('')).toMatch(
    /\nNo "orders-outbox work" is on it\. What is .* parked once one is\.\n$/,
  );
  const shared = writtenScreen();
  await showStatus(operationsOf(outbox, { place: 'here', isAlone: false }), true, shared);
  expect(JSON.parse(shared.printed.join(''))).not.toHaveProperty('note');
});

onPglite(
  'keeps a terminal up to date, and says so when nobody answers any more',
  async ({ open, token, service }) => {
    await inFolder(async (folder) => {
      const outbox = await open();
      const operations = operationsOf(outbox, { place: folder, isAlone: false });
      const end = await answerQuestions({ folder, schema }, operations);
      const asked = await askWorker(folder, schema);
      if (!asked) throw new Error('Nobody answered.');
      const drawn: string[] = [];
      let isDone = false;
      const live = Object.assign((text: string) => void drawn.push(text), { done: () => (isDone = true) });
      const ending = new AbortController();
      const place = { where: { folder }, schema };
      const watching = watchStatus(
        { place, operations: asked, signal: ending.signal },
        writtenScreen(true),
        live,
      );
      await until('it drew nothing queued', () => /queued +│ +0 /.test(drawn.at(-1) ?? ''));
      await outbox.enqueue(token, step(1));
      await until('it drew one queued', () => /queued +│ +1 /.test(drawn.at(-1) ?? ''));
      await end();
      await until('it says that nobody answers', () =>
        /did not answer.*Seen last at/.test(drawn.at(-1) ?? ''),
      );
      await until('it looked for another', () => /No "orders-outbox work" is on it/.test(drawn.at(-1) ?? ''));
      expect(drawn.at(-1)).toMatch(/queued +│ +1 /);
      service.faults.next({ type: 'status', status: 400 });
      await outbox.work();
      await outbox.drain();
      const endAgain = await answerQuestions({ folder, schema }, operations);
      await until('it found the next one', () => /rejected +│ +1 /.test(drawn.at(-1) ?? ''));
      ending.abort();
      await watching;
      expect(isDone).toBe(true);
      await endAgain();
    });
  },
);

onPglite('gives a folder free that it looked at alone, so that a worker can have it', async ({ open }) => {
  const outbox = await open();
  let isOpen = true;
  const alone = operationsOf(outbox, { place: 'nowhere', isAlone: true });
  const operations = {
    ...alone,
    close: async () => {
      isOpen = false;
    },
  };
  const ending = new AbortController();
  const screen = writtenScreen();
  const place = { where: { folder: 'nowhere' }, schema };
  const watching = watchStatus({ place, operations, signal: ending.signal }, screen);
  await until('it looked', () => screen.printed.length > 0);
  expect(isOpen).toBe(false);
  expect(JSON.parse(screen.printed[0] ?? '')).toMatchObject({
    queued: 0,
    note: expect.stringContaining('No "orders-outbox work"'),
  });
  ending.abort();
  await watching;
});
