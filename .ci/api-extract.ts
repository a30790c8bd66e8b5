/** Makes reports of declarations with API Extractor: one text an entry point, its members sorted, texts left out. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from '@microsoft/api-extractor';

export interface ExtractedEntry {
  readonly folder: string;
  /** The emitted declarations. */
  readonly file: string;
}

/** Yields a report for each entry, in order. @throws Error when the declarations do not compile. */
export function extractReports(root: string, entries: readonly ExtractedEntry[]): readonly string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'api-reports-'));
  try {
    const configs = entries.map((entry, index) => configOf({ root, scratch, entry, index, entries }));
    const [first] = configs;
    // Reading the libraries of TypeScript takes seconds, so all entries share one compilation.
    const compilerState = first && CompilerState.create(first);
    return configs.map((config) => {
      const problems: string[] = [];
      Extractor.invoke(config, {
        ...(compilerState ? { compilerState } : {}),
        localBuild: true,
        messageCallback(message) {
          if (message.logLevel === ExtractorLogLevel.Error) problems.push(message.text);
          message.handled = true;
        },
      });
      if (problems.length > 0) throw new Error(`${config.mainEntryPointFilePath}: ${problems.join('; ')}`);
      return readFileSync(config.reportFilePath, 'utf8');
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

interface Extraction {
  readonly root: string;
  readonly scratch: string;
  readonly entry: ExtractedEntry;
  readonly index: number;
  readonly entries: readonly ExtractedEntry[];
}

function configOf({ root, scratch, entry, index, entries }: Extraction): ExtractorConfig {
  const silent = { default: { logLevel: ExtractorLogLevel.None } };
  const configObject: IConfigFile = {
    projectFolder: entry.folder,
    mainEntryPointFilePath: entry.file,
    compiler: {
      overrideTsconfig: { compilerOptions: compilerOptions(root), files: entries.map(({ file }) => file) },
    },
    apiReport: {
      enabled: true,
      // What is not exported but named by an export can break its users as well.
      includeForgottenExports: true,
      reportFolder: scratch,
      reportTempFolder: join(scratch, 'draft'),
      reportFileName: `${index}`,
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: {
      extractorMessageReporting: silent,
      tsdocMessageReporting: silent,
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
    },
  };
  const packageJsonFullPath = join(entry.folder, 'package.json');
  return ExtractorConfig.prepare({ configObject, configObjectFullPath: undefined, packageJsonFullPath });
}

/** As the packages are built, but without the DOM: its global names would make API Extractor rename ours. */
function compilerOptions(root: string): object {
  return {
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
}
