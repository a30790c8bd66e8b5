import type { Command } from '../machine/run-program.ts';

/** A package manager as its users run it, each giving a command for a project's folder. */
export interface Installer {
  /** With its version. */
  readonly name: string;
  /** Settings that a project has beside its package.json, by file. */
  readonly settings: Readonly<Record<string, string>>;
  readonly install: Command;
  /** Runs a script of the project in Node. */
  readonly script: (script: string) => Command;
  /** Runs a program that a package of the project brings. */
  readonly bin: (program: string, ...args: readonly string[]) => Command;
}
