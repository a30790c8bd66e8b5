/** Decides which changeset a change of a public API needs. Pure, so that each row can be tested by itself. */
import type { ApiChange } from './api-change.ts';

const levels = ['none', 'patch', 'minor', 'major'] as const;

export type Level = (typeof levels)[number];

/**
 * From 1.0.0 on, additions need a minor and breaks a major. Before, `^0.y.z` takes patches alone, so a minor
 * breaks and a patch may add. A version before the first release (0.0.0) has no users to break.
 */
export function neededLevel(version: string, changes: readonly ApiChange[]): Level {
  if (changes.length === 0 || version === '0.0.0') return 'none';
  const breaks = changes.some(({ effect }) => effect === 'breaking');
  if (version.startsWith('0.')) return breaks ? 'minor' : 'patch';
  return breaks ? 'major' : 'minor';
}

/** The highest level that pending changesets give to a package. */
export function pendingLevel(name: string, changesets: readonly PendingChangeset[]): Level {
  const given = changesets.flatMap(({ releases }) => releases.filter((release) => release.name === name));
  return given.reduce<Level>((highest, { type }) => (reaches(highest, type) ? highest : type), 'none');
}

export interface PendingChangeset {
  readonly releases: readonly { readonly name: string; readonly type: Level }[];
}

export function reaches(level: Level, needed: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(needed);
}
