import { StorageProblem } from './storage-problem.ts';

const unreachable = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|ENOENT|EACCES)/;

/** Says in one line what is wrong with a PostgreSQL database and what to do, by the error of its driver. */
export function explainPostgresError(error: unknown, place: string): StorageProblem {
  if (error instanceof StorageProblem) return error;
  const { code: ownCode, message = '' } = Object(error) as {
    readonly code?: unknown;
    readonly message?: string;
  };
  const code = String(ownCode ?? '');
  const problem = (text: string) => new StorageProblem(text, { cause: error });

  if (unreachable.test(code))
    return problem(`No PostgreSQL answers at ${place} (${code}): start it, or correct DATABASE_URL.`);
  if (/timeout/i.test(message))
    return problem(`PostgreSQL at ${place} does not answer in time: look after it, or correct DATABASE_URL.`);
  if (/^28/.test(code))
    return problem(`PostgreSQL at ${place} refuses the user or the password: correct DATABASE_URL.`);
  if (code === '3D000')
    return problem(`There is no database at ${place}: create it, or correct DATABASE_URL.`);
  if (code === '42501')
    return problem(
      `The user of DATABASE_URL may not make tables at ${place}: let it, or choose another user.`,
    );
  return problem(
    `PostgreSQL at ${place} cannot be used (${code || 'no code'}): look at its log, or correct DATABASE_URL.`,
  );
}
