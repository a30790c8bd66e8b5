import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { type Package, type Project, type Row, type Run, repository } from './lab.ts';
import { projectsOfPage } from './page.ts';
import { installers, node, toolFile, versionOf } from './tools.ts';
import { projectsOfTypeScript } from './typescript.ts';

/** Every kind of consumer. */
export function listProjects(packages: readonly Package[]): Row[] {
  const all = dependenciesOf(packages);
  const some = (...names: string[]) => dependenciesOf(packages.filter(({ name }) => names.includes(name)));
  const withoutPeers = (wanted: string) =>
    Object.fromEntries(packages.flatMap(({ name, version }) => (name === wanted ? [[name, version]] : [])));
  const names = packages.map(({ name }) => name);
  const updating = some('@orders/client', '@orders/testing');
  const storing = some('@orders/cli', '@orders/client', '@orders/outbox', '@orders/testing');
  return [
    // A package that the table does not have would be installed, and checked by nothing: `mostPackages` names them all.
    ...packages.map((each) => projectOfPackage(each)),
    {
      name: '@orders/cli without PGlite',
      installer: 'pnpm12',
      dependencies: withoutPeers('@orders/cli'),
      fixtures: ['updates.csv'],
      runs: {
        'runs the command': runCommand,
        async 'a folder needs PGlite'({ run, installer: { bin } }) {
          await assert.rejects(
            run([...bin, 'orders', 'outbox', 'migrate', '--folder', 'outbox']),
            /--folder needs PGlite: install @electric-sql\/pglite beside @orders\/cli\./,
          );
        },
      },
    },

    {
      name: '@orders/schema without jsonc-parser',
      installer: 'pnpm12',
      dependencies: withoutPeers('@orders/schema'),
      fixtures: [],
      runs: {
        async 'checks an update, and reads no file'({ run }) {
          const evaluate = (program: string) => run([node, '--input-type=module', '--eval', program]);
          await evaluate("import { OrderUpdate } from '@orders/schema'; OrderUpdate.parse({ cart: {} });");
          await assert.rejects(
            evaluate("import '@orders/schema/file';"),
            /Cannot find package 'jsonc-parser' imported from /,
          );
        },
      },
    },

    ...(Object.keys(installers) as (keyof typeof installers)[]).map((installer) => ({
      ...projectOfInstaller(installer),
      dependencies: storing,
    })),
    {
      ...projectOfInstaller('npm11'),
      name: `${installers.npm11.name} beside zod 3 and undici 6`,
      dependencies: { ...storing, zod: '3', undici: '6' },
    },

    {
      name: 'all packages in Node',
      installer: 'npm11',
      dependencies: all,
      fixtures: ['scenario.mjs', 'update.mjs', 'update.cjs', 'entries.mjs', 'entries.cjs'],
      runs: Object.fromEntries([
        ...['node22', 'node26'].flatMap((tool) =>
          ['mjs', 'cjs'].map((kind): [string, Run] => [
            `${versionOf(tool)} by ${kind === 'mjs' ? 'import' : 'require'}`,
            async ({ run }, { env }) => {
              const program = toolFile(tool, 'bin/node');
              for (const command of [[`update.${kind}`], [`entries.${kind}`, ...names]]) {
                const { stderr } = await run([program, ...command], env(program));
                assert.equal(stderr, '');
              }
            },
          ]),
        ),
        [
          `${versionOf('node20')} says which Node they need`,
          async ({ run }, { env }) => {
            const program = toolFile('node20', 'bin/node');
            const loads = ['auth', 'client/fetch', 'schema', 'testing'].map(
              (path) => `import '@orders/${path}';`,
            );
            await run([program, '--input-type=module', '--eval', loads.join('\n')], env(program));
            for (const path of ['client', 'client/undici', 'outbox'])
              await assert.rejects(
                run([program, '--input-type=module', '--eval', `import '@orders/${path}';`], env(program)),
                /Error: @orders\/(?:client|outbox) needs Node 22\.19 or newer, and this is Node 20\./,
              );
            await assert.rejects(
              run([program, 'node_modules/@orders/cli/dist/main.js', '--help'], env(program)),
              /\norders needs Node 22\.19 or newer, and this is Node 20\.\d+\.\d+\.$/,
            );
          },
        ],
        ['the example of the README', runReadme],
      ]),
    },

    {
      name: 'a page in Chromium',
      installer: 'npm11',
      dependencies: some('@orders/auth', '@orders/client', '@orders/schema'),
      fixtures: ['index.html', 'page.js'],
      runs: {
        async [`by vite ${versionOf('vite')}`](project) {
          const flags = ['--outDir', 'vite', '--base', './', '--logLevel', 'warn'];
          await project.run([node, toolFile('vite', 'bin/vite.js'), 'build', ...flags]);
          return openPage(project, 'vite');
        },
        async 'by esbuild'(project) {
          const [entry, outfile] = [join(project.folder, 'page.js'), join(project.folder, 'esbuild/page.js')];
          await build({
            entryPoints: [entry],
            outfile,
            bundle: true,
            minify: true,
            format: 'esm',
            logLevel: 'silent',
          });
          return openPage(project, 'esbuild');
        },
        async [`by webpack ${versionOf('webpack')}`](project) {
          const flags = ['--mode', 'production', '--target', 'web', '--entry', './page.js'];
          const output = ['--output-path', 'webpack', '--output-filename', 'page.js'];
          await project.run([node, toolFile('webpack-cli', 'bin/cli.js'), 'build', ...flags, ...output]);
          return openPage(project, 'webpack');
        },
      },
    },

    {
      name: 'Next.js 16',
      installer: 'npm11',
      dependencies: { ...updating, ...some('@orders/schema'), next: '16', react: '19', 'react-dom': '19' },
      fixtures: ['next/app'],
      runs: {
        async 'renders a page at build time'({ run, folder }) {
          await run([node, 'node_modules/next/dist/bin/next', 'build', 'next']);
          const page = await readFile(join(folder, 'next/.next/server/app/index.html'), 'utf8');
          assert.match(page, /applied with 200 over undici.*cart\.items\[0\]\.unit_price/);
        },
      },
    },

    ...projectsOfTypeScript(packages, all),
    ...projectsOfPage(some('@orders/client', '@orders/testing')),
  ];
}

/** How many packages each may bring, itself included. Peers are optional: a project that needs one installs it. */
const mostPackages: Readonly<Record<string, number>> = {
  '@orders/auth': 1,
  '@orders/cli': 90,
  '@orders/client': 5,
  '@orders/outbox': 60,
  '@orders/schema': 2,
  '@orders/testing': 12,
};

/** Each package with nothing else, where it reaches only what it declares. */
function projectOfPackage(each: Package): Row {
  return {
    name: each.name,
    installer: 'pnpm12',
    dependencies: dependenciesOf([each]),
    fixtures: ['entries.mjs'],
    runs: {
      async 'every entry loads'({ run, folder }) {
        await run([node, 'entries.mjs', each.name]);
        const peers = Object.keys(each.peerDependencies ?? {}).map((name) => `${name.replace('/', '+')}@`);
        const installed = (await readdir(join(folder, 'node_modules/.pnpm'))).filter(
          (name) => /.@/.test(name) && !peers.some((peer) => name.startsWith(peer)),
        );
        assert.ok(installed.length <= (mostPackages[each.name] ?? 0), `It brings ${installed.join(', ')}`);
        return `${installed.length} of at most ${mostPackages[each.name]} packages`;
      },
    },
  };
}

function projectOfInstaller(installer: keyof typeof installers) {
  return {
    name: installers[installer].name as string,
    installer,
    fixtures: ['scenario.mjs', 'update.mjs', 'outbox.mjs', 'updates.csv'],
    runs: {
      async 'updates an order'({ run, installer: { script = [node] } }: Project) {
        await run([...script, 'update.mjs']);
      },
      async 'enqueues an update and drains it'({ run, installer: { script = [node] } }: Project) {
        await run([...script, 'outbox.mjs']);
      },
      'runs the command': runCommand,
    },
  };
}

/** Runs `orders` as its user does: help, a validation, and the list of conformance cases. */
async function runCommand({ run, installer: { bin } }: Project): Promise<void> {
  const orders = async (...words: readonly string[]) => (await run([...bin, 'orders', ...words])).stdout;
  const { version } = JSON.parse(await readFile(join(repository, 'packages/cli/package.json'), 'utf8'));
  assert.ok((await orders('--version')).includes(version));
  assert.match(await orders('--help'), /Usage: orders/);
  assert.match(await orders('validate', 'updates.csv', '--decimals', '2', '--json'), /"valid":true/);
  assert.match(await orders('conformance', '--list'), /^echo-accepts-key/m);
}

/** The packages in the version that the registry has, and their peers: a range such as `*` takes no pre-release. */
function dependenciesOf(packages: readonly Package[]): Record<string, string> {
  const peers = packages.map(({ peerDependencies }) => peerDependencies);
  return Object.assign({}, ...peers, ...packages.map(({ name, version }) => ({ [name]: version })));
}

async function runReadme({ run, folder }: Project): Promise<void> {
  const readme = await readFile(join(repository, 'README.md'), 'utf8');
  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  await writeFile(join(folder, 'example.mts'), example);
  assert.equal((await run([node, 'example.mts'])).stdout, 'applied 200\n');
}

const authorization = 'Basic bnlja2VsLcOlw6TDtjo=';
const expectedOfPage = {
  explained: ['cart.items[0].unit_price not_integer', 'orderId misspelled'],
  read: [['ord_1'], ['ord_2', '2:57 invalid_type']],
  authorization,
  transport: 'fetch',
  sent: { authorization, body: { cart: { items: [{ sku: 'mug' }] } } },
};

/** Opens a bundled page in Chromium, under a policy that forbids `eval`; returns the size of its scripts. */
async function openPage({ folder }: Project, out: string): Promise<string> {
  const paths = (await readdir(join(folder, out), { recursive: true })).filter((path) =>
    path.endsWith('.js'),
  );
  const scripts = await Promise.all(paths.map((path) => readFile(join(folder, out, path))));
  const html = `<!doctype html><script type="module" src="/${paths[0]}"></script>`;
  const headers = { 'content-security-policy': "default-src 'self'" };
  await using browser = await launchBrowser();
  const page = await browser.newPage();
  await page.route('**', (route) => {
    const script = scripts[paths.indexOf(new URL(route.request().url()).pathname.slice(1))];
    const [contentType, body] = script ? ['text/javascript', script] : ['text/html', html];
    return route.fulfill({ contentType, body, headers });
  });
  const failures: string[] = [];
  page.on('pageerror', ({ message }) => failures.push(message));
  await page.goto('http://localhost/');
  const result = await page.evaluate('globalThis.result');
  assert.deepEqual([result, failures], [expectedOfPage, []]);
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
  return `${(bytes / 1_000).toFixed(1)} kB gzip`;
}
