import { execFile } from 'node:child_process';
import process from 'node:process';
import { endWithUs } from './end-with-us.ts';
import { refusal } from './loopback-only.ts';

const longestMs = 60_000;

/** Flags of Node that keep a program on this machine. */
export const onLoopback = ['--import', import.meta.resolve('./loopback-only.ts')];

/** Keeps peers from asking for news, telling of use, and colouring. */
export const quiet: NodeJS.ProcessEnv = {
  ...process.env,
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  SCARF_ANALYTICS: 'false',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

export interface ToolEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a Node program of a peer in this folder until it ends. Rejects when it is late or tries to leave the machine. */
export function runTool(program: string, words: readonly string[]): Promise<ToolEnd> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: import.meta.dirname,
      env: quiet,
      timeout: longestMs,
      killSignal: 'SIGKILL',
      maxBuffer: 16_777_216,
    } as const;
    const child = execFile(
      process.execPath,
      [...onLoopback, program, ...words],
      options,
      (error, stdout, stderr) => {
        if (stderr.includes(refusal)) reject(new Error(stderr));
        else if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      },
    );
    endWithUs(child);
  });
}
