import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropIndex } from './drop-index.ts';

test('a dropped line lies before or after the line that it was dropped on', () => {
  const drop = fc.record({
    from: fc.nat(9),
    onto: fc.nat(9),
    edge: fc.constantFrom('top' as const, 'bottom' as const),
  });
  fc.assert(
    fc.property(
      drop.filter(({ from, onto }) => from !== onto),
      ({ from, onto, edge }) => {
        const lines = Array.from({ length: 10 }, (_, index) => index);
        lines.splice(dropIndex({ from, onto, edge }), 0, ...lines.splice(from, 1));
        const gap = lines.indexOf(from) - lines.indexOf(onto);
        expect(gap).toBe(edge === 'top' ? -1 : 1);
      },
    ),
  );
});

test('a line that is dropped on itself stays', () => {
  expect(dropIndex({ from: 3, onto: 3, edge: 'top' })).toBe(3);
  expect(dropIndex({ from: 3, onto: 3, edge: 'bottom' })).toBe(3);
});
