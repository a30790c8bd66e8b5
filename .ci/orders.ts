/** `pnpm orders`: the command from its sources, in the folder where pnpm was started, which names files. */
import process from 'node:process';

process.chdir(process.env['INIT_CWD'] ?? '.');
await import('../packages/cli/src/main.ts');
