/**
 * Compares the declarations of every built entry point with its report, `packages/<name>/api/<entry>.api.md`.
 * `pnpm api` (`--write`) writes the reports; their diff is part of a review.
 */
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { CompilerState, Extractor, ExtractorConfig, type ExtractorLogLevel } from '@microsoft/api-extractor';

type Target = string | { readonly [condition: string]: Target };

const root = join(import.meta.dirname, '..');
const isWriting = process.argv.includes('--write');

/** As the packages are built, but without the DOM: its global names would make API Extractor rename ours. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};

const entries = globSync('packages/*/package.json', { cwd: root }).flatMap((path) => {
  const folder = join(root, dirname(path));
  const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return Object.entries<Target>(manifest.private ? {} : (manifest.exports ?? {})).flatMap(
    ([subpath, target]) => {
      const types = defaultOf(typeof target === 'object' ? target['types'] : undefined);
      return types
        ? [{ folder, file: join(folder, types), name: subpath === '.' ? 'index' : basename(subpath) }]
        : [];
    },
  );
});
const configs = entries.map(({ folder, file, name }) => {
  const none = { default: { logLevel: 'none' as ExtractorLogLevel } };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: file,
      compiler: { overrideTsconfig: { compilerOptions, files: entries.map((entry) => entry.file) } },
      apiReport: {
        enabled: true,
        // A type that an export names can break users although it is not exported itself.
        includeForgottenExports: true,
        reportFolder: join(folder, 'api'),
        reportTempFolder: join(root, '.turbo/api', basename(folder)),
        reportFileName: name,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: { extractorMessageReporting: none, tsdocMessageReporting: none },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  });
});

// Reading the libraries of TypeScript takes seconds, so all entries share one compilation.
const compilerState = CompilerState.create(configs[0] as ExtractorConfig);
const outdated = configs.filter((config) => {
  mkdirSync(config.reportFolder, { recursive: true });
  const { succeeded, apiReportChanged, errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: isWriting,
    messageCallback(message) {
      // Its advice on a changed report is ours below.
      message.handled = message.logLevel !== 'error';
    },
  });
  if (errorCount > 0) throw new Error(`${config.mainEntryPointFilePath} has errors`);
  return apiReportChanged || !succeeded;
});
const reports = configs.map((config) => config.reportFilePath.replaceAll('\\', '/'));
const stale = globSync('packages/*/api/*.md', { cwd: root })
  .map((path) => join(root, path).replaceAll('\\', '/'))
  .filter((path) => !reports.includes(path));
if (isWriting) for (const path of stale) rmSync(path);
else {
  for (const path of [...outdated.map((config) => config.reportFilePath), ...stale]) {
    process.stdout.write(`${path} is outdated: run pnpm api, review its diff, and add a changeset.\n`);
    process.exitCode = 1;
  }
}

/** What a target resolves to for users, who do not set the condition of our sources. */
function defaultOf(target: Target | undefined): string | undefined {
  return typeof target === 'object' ? defaultOf(target['default']) : target;
}
