import { expect, test } from 'vitest';
import { buildJournalEntry, buildLedgerEntry, buildSources, control } from '../../test/control-sources.ts';

const ledger = [
  buildLedgerEntry(1),
  buildLedgerEntry(2, 'ord_2'),
  buildLedgerEntry(4),
  buildLedgerEntry(7, 'ord_2'),
];

test('shows orders and ledger as a test sees them', async () => {
  const sources = buildSources({ ledger });
  expect((await control(sources, 'GET /orders')).json).toEqual({
    entries: sources.orders,
    next: 'ord_1',
    omitted: 0,
  });
  expect((await control(sources, 'GET /ledger')).json).toEqual({
    entries: ledger,
    next: 'req_7',
    omitted: 0,
  });
});

test.each([
  ['?after=req_2', [4, 7], 'req_7'],
  ['?after=3', [7], 'req_7'],
  ['?after=0', [1, 2, 4, 7], 'req_7'],
  ['?after=req_7', [], 'req_7'],
  ['?after=4', [], '4'],
  ['?token=ord_2', [2, 7], 'req_7'],
  ['?token=ord_2&after=req_2', [7], 'req_7'],
  ['?token=ord_3', [], '0'],
  ['?token=', [], '0'],
])('GET /ledger%s shows the updates of requests %j and continues after %s', async (query, numbers, next) => {
  const { json } = await control(buildSources({ ledger }), `GET /ledger${query}`);
  const entries = numbers.map((number) => expect.objectContaining({ requestId: `req_${number}` }));
  expect(json).toEqual({ entries, next, omitted: 0 });
});

test.each(['req_3', '5', '-1', '', 'x'])(
  'refuses to continue after "%s", of which it knows nothing',
  async (after) => {
    const answer = await control(buildSources({ ledger }), `GET /ledger?after=${after}`);
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'query_refused' } } });
  },
);

test('a reader who continues meets each of many entries once', async () => {
  const sources = buildSources({
    ledger: Array.from({ length: 2_345 }, (_, index) => buildLedgerEntry(index)),
  });
  const seen: unknown[] = [];
  const left: number[] = [];
  let after = '0';
  for (let isDone = false; !isDone; ) {
    const { json } = await control(sources, `GET /ledger?after=${after}`);
    const { entries, next, omitted } = json as { entries: unknown[]; next: string; omitted: number };
    seen.push(...entries);
    left.push(omitted);
    after = next;
    isDone = omitted === 0;
  }
  expect(seen).toEqual(sources.ledger);
  expect(left).toEqual([1_345, 345, 0]);
});

test('shows the last thousand of many, and how many came before', async () => {
  const sources = buildSources({
    ledger: Array.from({ length: 1_005 }, (_, index) => buildLedgerEntry(index)),
  });
  const { json } = await control(sources, 'GET /ledger');
  const { entries, next, omitted } = json as { entries: unknown[]; next: string; omitted: number };
  expect([entries.length, next, omitted]).toEqual([1_000, 'req_1004', 5]);
  expect(entries[0]).toEqual(buildLedgerEntry(5));
});

test('shows a body as text where it is text, else in base64', async () => {
  const text = buildJournalEntry(1, Buffer.from('{"name":"é"}'));
  const bytes = buildJournalEntry(2, Buffer.from([0xff, 0x00]));
  const { json } = await control(buildSources({ journal: [text, bytes] }), 'GET /journal');
  const { body: _, ...entry } = JSON.parse(JSON.stringify(bytes));
  expect(json).toEqual({
    entries: [
      { ...JSON.parse(JSON.stringify(text)), body: '{"name":"é"}' },
      { ...entry, bodyBase64: '/wA=' },
    ],
    next: 'req_2',
    omitted: 0,
  });
});
