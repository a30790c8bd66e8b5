/** How changesets writes our changelogs: the sentences themselves, and in one line what a package now needs. */

interface Changeset {
  readonly summary: string;
}

interface Dependency {
  readonly name: string;
  readonly newVersion: string;
}

/** A changeset as an item of the list; what follows its first line is indented to belong to it. */
export async function getReleaseLine({ summary }: Changeset): Promise<string> {
  return `- ${summary.trim().split('\n').join('\n  ').replaceAll(/^ +$/gm, '')}`;
}

/** The packages of ours that a release needs in their new versions. */
export async function getDependencyReleaseLine(
  _changesets: readonly Changeset[],
  dependencies: readonly Dependency[],
): Promise<string> {
  if (dependencies.length === 0) return '';
  const needed = dependencies.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`);
  return `- Needs ${needed.join(' and ')}.`;
}
