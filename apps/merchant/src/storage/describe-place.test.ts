import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describePlace } from './describe-place.ts';

test.for([
  [
    { databaseUrl: 'postgresql://me:secret@db.example:6543/desk%20one?sslmode=require' },
    'db.example:6543/desk one',
  ],
  [{ databaseUrl: 'postgres://me:secret@db.example' }, 'db.example:5432/me'],
  [{ databaseUrl: 'postgresql:///desk?host=/run/postgresql&password=secret' }, 'localhost:5432/desk'],
  [{ databaseUrl: 'secret' }, 'a PostgreSQL database'],
  [{ databaseUrl: 'postgresql://db.example/desk', folder: 'here' }, 'db.example:5432/desk'],
  [{ folder: 'here' }, resolve('here')],
  [{}, 'memory'],
] as const)('calls %j %s', ([place, description]) => {
  expect(describePlace(place)).toBe(description);
});

test('never shows a password', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 4 }), (noise) => {
      const password = encodeURIComponent(`s3cret${noise}`);
      for (const databaseUrl of [
        `postgresql://me:${password}@db.example/desk`,
        `postgresql://db.example/desk?user=me&password=${password}`,
        `me:${password}`,
      ])
        expect(describePlace({ databaseUrl })).not.toContain('s3cret');
    }),
  );
});
