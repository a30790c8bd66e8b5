import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installer } from '../installers/installer.ts';
import type { ScriptFormat } from '../lab/build-script.ts';
import type { Lab } from '../lab/lab.ts';
import type { ProjectRecipe } from '../lab/project.ts';
import { entriesOf } from '../packing/manifest.ts';
import { packageNames } from '../packing/package-names.ts';

/** A project that picks all of ours, and what they ask their users for. */
export function everyPackage({ packed }: Pick<Lab, 'packed'>, installer: Installer): ProjectRecipe {
  const peers = packed.flatMap(({ manifest }) => Object.entries(manifest.peerDependencies ?? {}));
  return { installer, packages: packageNames, others: Object.fromEntries(peers) };
}

/** Writes a script that loads everything that can be imported of ours, and gives its name. */
export async function writeEntriesScript(
  { packed }: Pick<Lab, 'packed'>,
  { folder, format }: { readonly folder: string; readonly format: ScriptFormat },
): Promise<string> {
  const lines = everyEntry({ packed }).map((entry) => {
    if (format === 'cjs') return `require('${entry}');`;
    return entry.endsWith('.json') ? `import '${entry}' with { type: 'json' };` : `import '${entry}';`;
  });
  const file = format === 'cjs' ? 'entries.cjs' : 'entries.mjs';
  await writeFile(join(folder, file), lines.join('\n'));
  return file;
}

export function everyEntry({ packed }: Pick<Lab, 'packed'>): readonly string[] {
  return packed.flatMap(({ manifest }) => entriesOf(manifest));
}
