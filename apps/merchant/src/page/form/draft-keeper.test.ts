import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDraftKeeper, type DraftKeeperOptions, type DraftState } from './draft-keeper.ts';
import type { OrderForm } from './order-form.ts';
import { toForm } from './to-form.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A keeper whose saves end when they are told to. */
function startKeeper(options: Partial<DraftKeeperOptions> = {}) {
  const told: DraftState[] = [];
  const saves: { readonly draft: OrderForm | null; end(error?: Error): void }[] = [];
  const typed: { form: OrderForm | null } = { form: null };
  const keeper = createDraftKeeper({
    isKept: false,
    read: () => typed.form,
    tell: (state) => told.push(state),
    save: (draft) =>
      new Promise((resolve, reject) => {
        saves.push({ draft, end: (error) => (error ? reject(error) : resolve()) });
      }),
    ...options,
  });
  return {
    keeper,
    told,
    saves,
    type(note: string | null) {
      typed.form = note === null ? null : toForm({ cart: {}, merchant_note: note });
      keeper.note();
    },
    kinds: () => told.map(({ kind }) => kind),
    saved: () => saves.map(({ draft }) => draft?.merchant_note ?? null),
  };
}

test('saves once it is quiet, and the latest of what was typed', async () => {
  const { type, saves, saved, kinds } = startKeeper();
  type('a');
  await vi.advanceTimersByTimeAsync(599);
  type('ab');
  await vi.advanceTimersByTimeAsync(599);
  expect(saves).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(saved()).toEqual(['ab']);
  expect(kinds().at(-1)).toBe('saving');
  saves[0]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(kinds().at(-1)).toBe('saved');
});

test('saves one draft after the other, so that the latest comes last', async () => {
  const { type, saves, saved, kinds } = startKeeper();
  type('a');
  await vi.advanceTimersByTimeAsync(600);
  type('b');
  await vi.advanceTimersByTimeAsync(600);
  expect(saved()).toEqual(['a']);
  saves[0]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(saved()).toEqual(['a', 'b']);
  saves[1]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(kinds().at(-1)).toBe('saved');
});

test('has the draft forgotten when nothing is typed any more, and asks for it once', async () => {
  const { type, saves, saved, kinds } = startKeeper({ isKept: true });
  type(null);
  await vi.advanceTimersByTimeAsync(600);
  expect(saved()).toEqual([null]);
  saves[0]?.end();
  type('a');
  type(null);
  await vi.advanceTimersByTimeAsync(600);
  expect(saved()).toEqual([null]);
  expect(kinds().at(-1)).toBe('clean');
});

test('asks for nothing when nothing was typed and nothing is kept', async () => {
  const { keeper, type, saves } = startKeeper();
  type(null);
  await vi.advanceTimersByTimeAsync(600);
  await keeper.flush();
  expect(saves).toEqual([]);
});

test('says why a draft could not be kept, and tries again by itself', async () => {
  const { type, saves, saved, told, kinds } = startKeeper();
  type('a');
  await vi.advanceTimersByTimeAsync(600);
  saves[0]?.end(new Error('The desk is away'));
  await vi.advanceTimersByTimeAsync(0);
  expect(told.at(-1)).toEqual({ kind: 'failed', why: 'The desk is away' });
  await vi.advanceTimersByTimeAsync(5000);
  expect(saved()).toEqual(['a', 'a']);
  saves[1]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(kinds().at(-1)).toBe('saved');
});

test('saves at once when it is told to, or closed, and never afterwards', async () => {
  const { keeper, type, saves, saved } = startKeeper();
  type('a');
  void keeper.flush();
  await vi.advanceTimersByTimeAsync(0);
  expect(saved()).toEqual(['a']);
  saves[0]?.end();
  type('b');
  keeper.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(saved()).toEqual(['a', 'b']);
  type('c');
  saves[1]?.end(new Error('gone'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saved()).toEqual(['a', 'b']);
});
