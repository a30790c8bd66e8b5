import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WorkFolder extends AsyncDisposable {
  readonly path: string;
  /** Makes an empty folder in it that nobody else has. */
  readonly open: (name: string) => Promise<string>;
}

/** Makes a folder outside the repository, so that nothing above it lends a package. Disposing of it removes it. */
export async function openWorkFolder({ keep }: { readonly keep: boolean }): Promise<WorkFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'orders-consumers-')));
  let opened = 0;
  return {
    path,
    async open(name) {
      opened += 1;
      const folder = join(path, `${opened}-${name.replace(/[^\w.-]+/g, '-')}`);
      await mkdir(folder, { recursive: true });
      return folder;
    },
    async [Symbol.asyncDispose]() {
      if (!keep) await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
