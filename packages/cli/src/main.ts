#!/usr/bin/env node
import './node-version.ts';

import process from 'node:process';
import { runProgram } from './program.ts';
import { createTerminal, describeError, kindOfError } from './terminal.ts';

const terminal = createTerminal(process);
const loadsCode = process.argv.some((word) => /^--(config|schema|webhooks)\b/.test(word));
process.on('uncaughtException', (error) => {
  const what = loadsCode
    ? `A module threw ${kindOfError(error)}; its message may hold a key and is left out.`
    : describeError(error);
  void terminal.fail(what).finally(() => process.exit(3));
});

// Nothing is left to do, and the command waits all the same.
process.once('beforeExit', () => {
  const what = 'What the command waits for will never come, such as the end of a module that never loads.';
  void terminal.fail(what).finally(() => process.exit(3));
});

const exitCode = await runProgram(process.argv.slice(2), terminal, process.env);
const isWritten = await terminal.flush();
// A module of the user may keep the process.
process.exit(isWritten ? exitCode : 3);
