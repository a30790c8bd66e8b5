import { expect, test } from 'vitest';
import type { Decision } from './operations.ts';
import { walkDecisions } from './walk-decisions.ts';

function waiting(count: number, of: (place: number) => Partial<Decision> = () => ({})): Decision[] {
  return Array.from({ length: count }, (_, place) => ({
    id: `update ${place}`,
    token: 'ord_1',
    state: 'rejected' as const,
    attempts: 1,
    createdAt: new Date(0),
    ...of(place),
  }));
}

const all = { states: ['parked', 'rejected'] } as const;

async function walk(
  list: Decision[],
  filter: Parameters<typeof walkDecisions>[1],
  onEach: (decision: Decision) => void = () => {},
) {
  const asked: (string | undefined)[] = [];
  const ids: string[] = [];
  const listDecisions = async (limit: number, after?: string) => {
    asked.push(after);
    const place = list.findIndex(({ id }) => id === after);
    return list.slice(place + 1, place + 1 + limit);
  };
  for await (const decision of walkDecisions({ listDecisions }, filter)) {
    ids.push(decision.id);
    onEach(decision);
  }
  return { ids, asked };
}

test('gives each once, in order, also where they stay', async () => {
  const list = waiting(1_700);
  const { ids, asked } = await walk(list, all);
  expect(ids).toEqual(list.map(({ id }) => id));
  expect(asked).toEqual([undefined, 'update 499', 'update 999', 'update 1499']);
});

test('gives each once where they are forgotten as they are decided', async () => {
  const list = waiting(1_700);
  const { ids } = await walk(list, all, ({ id }) => {
    list.splice(
      list.findIndex((each) => each.id === id),
      1,
    );
  });
  expect(ids).toHaveLength(1_700);
  expect(new Set(ids).size).toBe(1_700);
});

test('ends although each that is decided comes to wait again', async () => {
  const list = waiting(3);
  const { ids } = await walk(list, all, (decision) => {
    list.splice(list.indexOf(decision), 1);
    list.push(decision);
  });
  expect(ids).toEqual(['update 0', 'update 1', 'update 2']);
});

test.each([
  [{ states: ['parked'] }, ['update 1']],
  [{ states: ['rejected'], code: '401' }, ['update 600']],
  [{ states: ['rejected', 'parked'], code: 'timeout' }, ['update 1']],
  [{ states: ['rejected'], code: 'timeout' }, []],
] as const)('finds what matches %j behind what does not', async (filter, ids) => {
  const list = waiting(700, (place) => {
    if (place === 1) return { state: 'parked', code: 'timeout' };
    return place === 600 ? { code: 'http_error', status: 401 } : { code: 'http_error', status: 400 };
  });
  expect((await walk(list, filter)).ids).toEqual(ids);
});
