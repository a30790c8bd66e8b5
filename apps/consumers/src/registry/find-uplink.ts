import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The registry that this machine is set up with, for everything but our own packages. */
export async function findUplink(): Promise<string> {
  const given = process.env['npm_config_registry'];
  if (given) return given;
  const { stdout } = await run('npm', ['config', 'get', 'registry']);
  return stdout.trim();
}
