import { delimiter, dirname } from 'node:path';
import process from 'node:process';
import { nodes } from './tools.ts';

/** What a program needs of this machine; everything else, settings of package managers above all, stays out. */
const passed = ['LANG', 'LC_ALL', 'SystemRoot', 'PATHEXT', 'TMPDIR', 'TEMP', 'TMP'];

export interface EnvironmentOptions {
  /** Holds the registry's settings and every cache. */
  readonly home: string;
  /** The program that `node` is to be. */
  readonly node?: string;
}

/** The environment of somebody who has a Node and a home folder, and is not in this repository. */
export function consumerEnvironment({ home, node = nodes.ours.path }: EnvironmentOptions): NodeJS.ProcessEnv {
  const path =
    process.env['PATH']?.split(delimiter).filter((folder) => !folder.includes('node_modules')) ?? [];
  return {
    ...Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    PATH: [dirname(node), ...path].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    NO_COLOR: '1',
    NO_UPDATE_NOTIFIER: '1',
    DO_NOT_TRACK: '1',
    DENO_NO_UPDATE_CHECK: '1',
  };
}
