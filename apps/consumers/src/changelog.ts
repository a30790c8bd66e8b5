/** How changesets writes our changelogs: the sentences themselves, and in one line what a package now needs. */

interface Changeset {
  readonly summary: string;
}

interface Dependency {
  readonly name: string;
  readonly newVersion: string;
}

/** Each line of a changeset as an item of the list; further paragraphs are indented, to belong to the last one. */
export async function getReleaseLine({ summary }: Changeset): Promise<string> {
  const [lines = '', ...paragraphs] = summary.trim().split('\n\n');
  const items = lines.split('\n').map((line) => `- ${line}`);
  return [items.join('\n'), ...paragraphs.map((text) => `  ${text.replaceAll('\n', '\n  ')}`)].join('\n\n');
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
