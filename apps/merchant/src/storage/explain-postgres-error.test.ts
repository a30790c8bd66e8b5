import { expect, test } from 'vitest';
import { explainPostgresError } from './explain-postgres-error.ts';
import { StorageProblem } from './storage-problem.ts';

const place = 'db.example:5432/desk';

test.for([
  [
    'ENOTFOUND',
    'No PostgreSQL answers at db.example:5432/desk (ENOTFOUND): start it, or correct DATABASE_URL.',
  ],
  ['28P01', /refuses the user or the password: correct DATABASE_URL/],
  ['3D000', /There is no database at db\.example:5432\/desk: create it/],
  ['42501', /may not make tables/],
  ['57P03', /cannot be used \(57P03\): look at its log/],
] as const)('explains %s in one line', ([code, line]) => {
  const problem = explainPostgresError(Object.assign(new Error('secret\nsecret'), { code }), place);
  expect(problem.message).toMatch(line);
  expect(problem.message).toMatch(/^(?!.*secret).+[.]$/);
});

test('explains a server that does not answer, and what is no error at all', () => {
  const silence = new Error('timeout exceeded when trying to connect');
  expect(explainPostgresError(silence, place).message).toMatch(/does not answer in time/);
  expect(explainPostgresError(undefined, place).message).toMatch(/cannot be used \(no code\)/);
});

test('leaves a problem that is explained already', () => {
  const problem = new StorageProblem('in use');
  expect(explainPostgresError(problem, place)).toBe(problem);
});
