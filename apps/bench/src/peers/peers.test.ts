import { expect, test } from 'vitest';
import { startChild } from '../child/start-child.ts';
import { fixedAnswer } from '../server/fixed-answer.ts';
import { buildUpdate } from '../workload/build-update.ts';
import { peerNames } from './peer-list.ts';

const body = JSON.stringify(buildUpdate(2));

test.concurrent.for(peerNames)(
  '%s sends the same request and gives the same answer',
  { timeout: 60_000 },
  async (name) => {
    await using server = await startChild('server', []);
    await using peer = await startChild('peer', [name, await server.call('url')]);
    expect(await peer.call('probe', 2)).toEqual(fixedAnswer);
    expect(await server.call('lastRequest')).toEqual({
      method: 'PATCH',
      path: '/v2/orders/ord_000000000000000000000000',
      authorization: `Basic ${btoa('bench-key:')}`,
      contentType: 'application/json',
      accept: 'application/json',
      contentLength: String(body.length),
      body,
    });
  },
);
