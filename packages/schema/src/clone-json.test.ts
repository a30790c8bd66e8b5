import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { anyValue } from '../test/any-value.ts';
import { type Problem, problemsOf } from '../test/problems.ts';
import { cloneJson, cloneJsonFast } from './clone-json.ts';
import { OrderUpdate } from './index.ts';

const plain = 'Send strings, numbers, booleans, null, plain objects and lists.';
const instance = 'Send a plain object, a list or a string.';
const finite = 'Send a finite number: look at what computes it.';

const cycle: Record<string, unknown> = {};
cycle['list'] = [cycle];

class Money {
  readonly amount = 1;
}

test.each<[name: string, value: unknown, found: string, hint: string]>([
  ['NaN', NaN, 'NaN', finite],
  ['a bigint', 5n, 'a value of type bigint', 'Send Number(value), if that is a safe integer.'],
  ['a function', () => 1, 'a value of type function', plain],
  ['a symbol', Symbol('secret'), 'a value of type symbol', plain],
  ['a Map', new Map(), 'an instance of Map', instance],
  ['a Date', new Date(0), 'an instance of Date', instance],
  ['a boxed number', Object(1), 'an instance of Number', instance],
  ['a class instance', new Money(), 'an instance of Money', instance],
  ['an instance of a class without a name', new (class {})(), 'an instance of a class', instance],
  ['an object that inherits fields', Object.create({ a: 1 }), 'an instance of Object', instance],
])('reports %s with its path and what to send instead', (_name, value, found, hint) => {
  const body = { cart: { items: [{ name: 'a', extra: { here: value } }] } };
  expect(cloneJson(body)).toEqual({
    value: { cart: { items: [{ name: 'a', extra: {} }] } },
    problems: [{ path: ['cart', 'items', 0, 'extra', 'here'], found, hint }],
  });
});

test('cuts the name of a class at 40 characters', () => {
  const Named = class {};
  Object.defineProperty(Named, 'name', { value: `A${'b'.repeat(99)}` });
  expect(cloneJson(new Named()).problems[0]?.found).toBe(`an instance of A${'b'.repeat(39)}`);
});

test('takes an undefined field for absent, and refuses undefined and gaps in a list', () => {
  const gap = [1];
  gap[2] = 3;
  const problem = (index: number) => ({
    path: ['list', index],
    found: 'a value of type undefined',
    hint: 'Leave it out.',
  });
  expect(cloneJson({ a: undefined, b: null })).toStrictEqual({ value: { b: null }, problems: [] });
  expect(cloneJson({ list: gap }).problems).toEqual([problem(1)]);
  expect(cloneJson({ list: [undefined, 1, undefined] }).problems).toEqual([problem(0), problem(2)]);
});

test('refuses an own field named __proto__, and changes no prototype', () => {
  const { value, problems } = cloneJson(JSON.parse('{"a":{"__proto__":{"polluted":true}}}'));
  expect(problems).toEqual([
    { path: ['a', '__proto__'], found: 'a field of this name', hint: 'Leave it out.' },
  ]);
  expect(value).toStrictEqual({ a: {} });
  expect(cloneJson(JSON.parse('{"__proto__":1,"a":2}'))).toMatchObject({
    value: { a: 2 },
    problems: [{ path: ['__proto__'] }],
  });
});

test('takes no field from a prototype that somebody has changed', () => {
  const inherited = { inheritedList: [], inheritedText: '', orderId: {} };
  Object.assign(Object.prototype, inherited);
  try {
    expect(Object.keys(OrderUpdate.parse({ cart: {} }))).toEqual(['cart']);
    expect(Object.keys(cloneJson({ a: { b: 1 } }).value as object)).toEqual(['a']);
  } finally {
    for (const name of Object.keys(inherited)) Reflect.deleteProperty(Object.prototype, name);
  }
});

test('refuses a cycle where it closes, and takes a shared object for two', () => {
  const shared = { a: 1 };
  expect(cloneJson({ cycle }).problems).toEqual([
    { path: ['cycle', 'list', 0], found: 'a cycle', hint: 'Leave it out.' },
  ]);
  expect(cloneJson([shared, shared])).toEqual({ value: [shared, shared], problems: [] });
});

test('copies objects without a prototype and of another realm', () => {
  const bare = Object.assign(Object.create(null), { a: 1 });
  expect(cloneJson(bare)).toStrictEqual({ value: { a: 1 }, problems: [] });
  expect(cloneJson(runInNewContext('({ a: [{}] })'))).toStrictEqual({ value: { a: [{}] }, problems: [] });
});

test('reads every property once, and keeps what it read', () => {
  let reads = 0;
  const body = {
    get cart() {
      return { reads: ++reads };
    },
  };
  const parsed = OrderUpdate.parse(body);
  expect(parsed).toStrictEqual({ cart: { reads: 1 } });
  expect(reads).toBe(1);
});

const throws = (): never => {
  throw new Error('hostile');
};
const traps = ['getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor', 'get', 'has'] as const;
const hostile = new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, throws])));
const revoked = Proxy.revocable({}, {});
revoked.revoke();

test('says where a value throws when it is read, and goes on after it', () => {
  const items = [
    hostile,
    revoked.proxy,
    Object.defineProperty({}, 'mine', { enumerable: true, get: throws }),
    ...traps.map((trap) => new Proxy({ mine: 1 }, { [trap]: throws })),
    new Proxy([1], { get: throws }),
    new Proxy(new Map(), { get: throws }),
    { quantity: 0.5 },
  ];
  expect(problemsOf(OrderUpdate, { cart: { items } }).map(([path]) => path)).toEqual([
    'cart.items[0]',
    'cart.items[1]',
    'cart.items[2].mine',
    'cart.items[3]',
    'cart.items[4]',
    'cart.items[5]',
    'cart.items[6].mine',
    'cart.items[8]',
    'cart.items[9]',
    'cart.items[10].quantity',
  ]);
  const thrown = (path: string): Problem => [path, 'not_serializable', plain];
  expect(problemsOf(OrderUpdate, { cart: hostile })).toEqual([thrown('cart')]);
  expect(problemsOf(OrderUpdate, revoked.proxy)).toEqual([thrown('')]);
  expect(cloneJson(revoked.proxy).problems).toMatchObject([{ found: 'a value that throws when it is read' }]);
});

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('copies 256 levels and refuses one more', () => {
  expect(cloneJson(nested(256)).problems).toEqual([]);
  expect(cloneJson(nested(257)).problems).toEqual([
    { path: Array(256).fill(0), found: 'nesting deeper than 256 levels', hint: plain },
  ]);
  expect(cloneJson(nested(100_000)).problems).toHaveLength(1);
});

const tooMany = {
  path: [],
  found: 'more than 100000 values, or 100 problems at once',
  hint: 'Send less at once.',
};

test('copies 100,000 values, and refuses the whole when there is one more', () => {
  expect(cloneJson(Array(99_999).fill(0)).problems).toEqual([]);
  expect(cloneJson(Array(100_000).fill(0))).toEqual({ value: undefined, problems: [tooMany] });
  expect(problemsOf(OrderUpdate, { unknown: Array(100_000).fill(0), cart: {} })).toEqual([
    ['', 'not_serializable', 'Send less at once.'],
  ]);
});

test('gives up after a hundred problems', () => {
  const { value, problems } = cloneJson({ list: Array(99_000).fill(nested(300)), cart: {} });
  expect(value).toBeUndefined();
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)).toEqual(tooMany);
});

test('ends early with a graph that would unfold without end', () => {
  let laughs: unknown = 'ha';
  for (let level = 0; level < 200; level++) laughs = { a: laughs, b: [laughs, laughs] };
  expect(cloneJson(laughs).problems.at(-1)).toEqual(tooMany);
  laughs = 'ha';
  for (let level = 0; level < 40; level++) laughs = { a: laughs, b: laughs };
  expect(cloneJson(laughs)).toEqual({ value: undefined, problems: [tooMany] });
});

test('ends early with proxies that have no end', () => {
  const grow = (): unknown =>
    new Proxy(
      {},
      {
        get: grow,
        ownKeys: () => ['a', 'b'],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      },
    );
  const list = new Proxy([], { get: (_list, key) => (key === 'length' ? Infinity : throws()) });
  expect(cloneJson(grow()).problems.at(-1)).toEqual(tooMany);
  expect(cloneJson(list).problems.at(-1)).toEqual(tooMany);
});

test('copies what the careful copy copies, or gives up', () => {
  fc.assert(
    fc.property(anyValue(), (input) => {
      const quick = cloneJsonFast(input);
      if (quick === undefined) return;
      const careful = cloneJson(input);
      expect(careful.problems).toEqual([]);
      expect(JSON.stringify(quick)).toBe(JSON.stringify(careful.value));
    }),
    { numRuns: inFull ? 3_000 : 600 },
  );
});

test('gives up on a cycle, on depth and on size', () => {
  const cycle: Record<string, unknown> = { a: 1 };
  cycle['self'] = [cycle, cycle];
  expect(cloneJsonFast(cycle)).toBeUndefined();
  expect(cloneJsonFast({ list: Array(60_000).fill(1) })).toBeUndefined();
});

test.each([{}, 'text', undefined])('takes nothing from Object.prototype where it holds %o', (value) => {
  const planted = { configurable: true, enumerable: true, writable: true, value };
  Object.defineProperty(Object.prototype, 'planted', planted);
  const copied = cloneJsonFast({ a: 1, absent: undefined });
  Reflect.deleteProperty(Object.prototype, 'planted');
  expect(copied).toBeUndefined();
});
