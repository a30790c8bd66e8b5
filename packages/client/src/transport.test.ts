import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResponseBody } from './transport.ts';

test('a body is the text of its chunks, however it is split, without a byte order mark', () => {
  const splits = fc.array(fc.nat({ max: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), splits, fc.boolean(), (text, sizes, hasMark) => {
      const bytes = Buffer.from(hasMark ? `\ufeff${text}` : text);
      const body = new ResponseBody();
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        body.add(bytes.subarray(at, at + size));
        at += size;
      }
      expect(body.length).toBe(bytes.length);
      expect(body.read()).toEqual({
        text: text.startsWith('\ufeff') && !hasMark ? text.slice(1) : text,
        isUtf8: true,
      });
    }),
  );
});

test('a chunk that it was given is never written to', () => {
  const whole = Buffer.from('abcdef');
  const body = new ResponseBody();
  body.add(whole.subarray(0, 1));
  body.add(Buffer.from('xyz'));
  expect([String(whole), body.read().text]).toEqual(['abcdef', 'axyz']);
});
