import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { inFolder } from '../../test/bin/in-folder.ts';
import { onPglite, step } from '../../test/scene.ts';
import { lockFolder } from '../store/lock-folder.ts';
import { answerQuestions } from './answer-questions.ts';
import { askWorker } from './ask-worker.ts';
import { openOperations } from './open-operations.ts';
import { operationsOf } from './operations.ts';

const schema = 'orders_outbox';
const nobody = '00000000-0000-4000-8000-000000000000';

onPglite('answers another process as the outbox itself does', async ({ open, service, token, reaches }) => {
  await inFolder(async (folder) => {
    const outbox = await open();
    const own = operationsOf(outbox, { place: folder, isAlone: false });
    const end = await answerQuestions({ folder, schema }, own);
    const asked = await askWorker(folder, schema);
    if (!asked) throw new Error('Nobody answered.');
    service.faults.next({ type: 'status', status: 500 }, { token });
    const parked = await outbox.enqueue(token, step(1));
    const queued = await outbox.enqueue(service.orders[1]?.token ?? '', step(2));
    // What stands between the two processes changes nothing: not the times, and not what is left out.
    expect(await asked.backlog()).toEqual(await own.backlog());
    await outbox.work();
    await reaches(outbox, parked, 'parked');
    await reaches(outbox, queued, 'applied');
    expect(await asked.listDecisions(5)).toEqual(await own.listDecisions(5));
    expect(await asked.history(token, 5)).toEqual(await own.history(token, 5));
    expect(await asked.show(parked)).toEqual(await own.show(parked));
    expect(await asked.show(nobody)).toBeUndefined();
    await expect(asked.retry(nobody)).rejects.toMatchObject({ name: 'OutboxError', code: 'unknown_update' });
    await expect(asked.discard(queued)).rejects.toMatchObject({ code: 'nothing_to_decide' });
    expect(await asked.retry(parked)).toMatchObject({ state: 'queued', createdAt: expect.any(Date) });
    await reaches(outbox, parked, 'applied');
    await end();
    await expect(asked.backlog()).rejects.toThrow(/^The process that works on .* did not answer: /);
    await asked.close();
    expect(await askWorker(folder, schema)).toBeUndefined();
  });
});

onPglite(
  'tells nothing to whoever does not know the secret, or calls it by another name',
  async ({ open, token }) => {
    await inFolder(async (folder) => {
      const outbox = await open();
      const id = await outbox.enqueue(token, step(1));
      const end = await answerQuestions(
        { folder, schema },
        operationsOf(outbox, { place: '', isAlone: false }),
      );
      const file = join(folder, 'worker.json');
      const { port, secret } = JSON.parse(await readFile(file, 'utf8'));
      const authorization = `Bearer ${secret}`;
      const ask = async (headers: Record<string, string>, body = JSON.stringify({ ask: 'discard', id })) => {
        const sent = request({ host: '127.0.0.1', port, method: 'POST', headers });
        const answered = new Promise<{ status: number | undefined; said: string }>((resolve, reject) => {
          sent.once('error', reject);
          sent.once('response', async (answer) =>
            resolve({ status: answer.statusCode, said: await text(answer) }),
          );
        });
        sent.end(body);
        return answered;
      };
      expect(await ask({})).toMatchObject({ status: 401 });
      expect(await ask({ authorization: `Bearer ${'x'.repeat(43)}` })).toMatchObject({ status: 401 });
      expect(await ask({ authorization: authorization.slice(0, -1) })).toMatchObject({ status: 401 });
      expect(await ask({ authorization, host: `rebound.example:${port}` })).toMatchObject({ status: 421 });
      expect(await ask({ authorization, host: `localhost:${port}` })).toMatchObject({ status: 421 });
      expect(await ask({ authorization }, 'x'.repeat(5_000))).toMatchObject({ status: 413 });
      expect(await ask({ authorization, 'transfer-encoding': 'chunked' }, 'x'.repeat(5_000))).toMatchObject({
        status: 413,
      });
      for (const body of [
        '',
        'null',
        '{"ask":"close"}',
        '{"ask":"retry","id":7}',
        '{"ask":"listDecisions","limit":1e9}',
      ]) {
        expect(await ask({ authorization }, body)).toMatchObject({ status: 400 });
      }
      expect(await outbox.status(id)).toMatchObject({ state: 'queued' });
      expect((await ask({ authorization })).said).not.toContain(secret);
      expect(await outbox.status(id)).toMatchObject({ state: 'discarded' });
      // Windows has no such rights.
      if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
      await end();
      await expect(stat(file)).rejects.toThrow('ENOENT');
    });
  },
);

onPglite('does not answer for another schema', async ({ open }) => {
  await inFolder(async (folder) => {
    const outbox = await open();
    const end = await answerQuestions(
      { folder, schema },
      operationsOf(outbox, { place: '', isAlone: false }),
    );
    await expect(askWorker(folder, 'other')).rejects.toThrow(/works on its schema orders_outbox\.$/);
    await end();
  });
});

test('says folder_in_use when something else has the folder, also beside the address of a process that is gone', async () => {
  await inFolder(async (folder) => {
    const lock = await lockFolder(folder);
    await mkdir(lock.dataFolder);
    const stale = { port: 1, secret: 'x'.repeat(43), schema };
    await writeFile(join(folder, 'worker.json'), JSON.stringify(stale));
    await expect(openOperations({ where: { folder }, schema }, () => {})).rejects.toMatchObject({
      name: 'OutboxError',
      code: 'folder_in_use',
      message: `${folder} is in use by an application that has it open: decide there, by listDecisions, retry and discard.`,
    });
    lock.release();
  });
});

test('makes no outbox where there is none', async () => {
  await inFolder(async (folder) => {
    const where = { folder: join(folder, 'slip') };
    await expect(openOperations({ where, schema }, () => {})).rejects.toThrow(
      /"orders-outbox migrate --folder \S+slip" makes one\.$/,
    );
    await expect(stat(where.folder)).rejects.toThrow('ENOENT');
  });
});

test.each(['', 'null', '{}', '{"port":"1"}', '{"port":1,"secret":"short","schema":"s"}'])(
  'takes an address file that holds %j for none',
  async (content) => {
    await inFolder(async (folder) => {
      await writeFile(join(folder, 'worker.json'), content);
      expect(await askWorker(folder, schema)).toBeUndefined();
    });
  },
);
