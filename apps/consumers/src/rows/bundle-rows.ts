import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page as BrowserPage } from 'playwright-core';
import { explained, sent } from '../../projects/facts.ts';
import { bundlers } from '../browser/bundlers.ts';
import { serveFolder } from '../browser/serve-folder.ts';
import { npm } from '../installers/installer-list.ts';
import type { HostedOrder } from '../lab/service-host.ts';
import type { BreakageName } from '../packing/breakage.ts';
import { type PackageName, scoped } from '../packing/package-names.ts';
import { formatBytes } from '../report/sizes.ts';
import type { Row } from './row.ts';

interface Page {
  readonly name: PackageName;
  readonly source: string;
  readonly redWhen: readonly BreakageName[];
  /** Has the page make what it makes for an order. */
  readonly make: (page: BrowserPage, order: HostedOrder) => Promise<Update>;
}

interface Update {
  readonly authorization: string;
  readonly body: unknown;
}

const pages: readonly Page[] = [
  {
    name: 'schema',
    source: import.meta.resolve('../../projects/page-schema.ts'),
    redWhen: ['node-import'],
    async make(page, { key }) {
      const found = await page.evaluate('page.explainBadOrder()');
      if (found !== explained) throw new Error(`The page explains a bad order by: ${found}`);
      return { authorization: `Basic ${btoa(`${key}:`)}`, body: await page.evaluate('page.checkOrder()') };
    },
  },
  {
    name: 'auth',
    source: import.meta.resolve('../../projects/page-auth.ts'),
    redWhen: ['exports'],
    async make(page, { key }) {
      const authorization: string = await page.evaluate(`page.encodeKey(${JSON.stringify(key)})`);
      return { authorization, body: sent };
    },
  },
  {
    name: 'client',
    source: import.meta.resolve('../../projects/page-client.ts'),
    redWhen: ['exports', 'dependency', 'node-import'],
    async make(page, { key }) {
      const made: Update & { readonly transport: string } = await page.evaluate(
        `page.makeUpdate(${JSON.stringify(key)})`,
      );
      if (made.transport !== 'fetch') throw new Error(`The client of the page sends over ${made.transport}.`);
      return made;
    },
  },
];

/** What browsers use of ours, bundled by each bundler; what the page makes is sent to the order service. */
export const bundleRows: readonly Row[] = bundlers.flatMap((bundler) =>
  pages.map(
    ({ name, source, redWhen, make }): Row => ({
      name: `browser, ${scoped(name)} by ${bundler.name}`,
      redWhen,
      async run(lab) {
        const project = await lab.project({ installer: npm('npm11'), packages: [name] });
        const out = `out-${bundler.name.split(' ')[0]}`;
        await bundler.bundle(project, { script: await project.write(source), out });
        const order = await lab.takeOrder();
        await using served = await serveFolder(join(project.folder, out));
        await using page = await (await lab.browser()).newPage();
        const failures: string[] = [];
        page.on('pageerror', ({ message }) => failures.push(message));
        await page.goto(served.url);
        if (failures.length > 0) throw new Error(failures.join('\n'));
        await send(order, await make(page, order));
        await order.expectApplied([sent]);
        return `${formatBytes(await weighScripts(join(project.folder, out)))} gzip`;
      },
    }),
  ),
);

async function send({ url, token }: HostedOrder, { authorization, body }: Update): Promise<void> {
  const answer = await fetch(`${url}/v2/orders/${encodeURIComponent(token)}`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The order service answered ${answer.status}: ${await answer.text()}`);
}

async function weighScripts(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true });
  const scripts = files.filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(scripts.map((file) => readFile(join(folder, file))));
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
}
