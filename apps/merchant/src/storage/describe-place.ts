import { resolve } from 'node:path';

/** Where a storage is. */
export interface StoragePlace {
  readonly databaseUrl?: string | undefined;
  readonly folder?: string | undefined;
}

/** Says where a storage is, for people: a database's host, port and name, a folder's full path, or `memory`. Never a password. */
export function describePlace({ databaseUrl, folder }: StoragePlace): string {
  if (databaseUrl === undefined) return folder === undefined ? 'memory' : resolve(folder);
  if (!URL.canParse(databaseUrl)) return 'a PostgreSQL database';
  const { hostname, port, pathname, username } = new URL(databaseUrl);
  // A database without a name is that of the user's name; this is PostgreSQL's own rule.
  const name = pathname.slice(1) || username;
  return `${hostname || 'localhost'}:${port || '5432'}/${decode(name)}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
