import process from 'node:process';

/**
 * Loads SQLite as it comes with Node. Node 22 warns that it is experimental, to every person who starts the desk; of it,
 * only opening a file and locking it are used here.
 */
export function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  // The warning is given while the module loads, which is synchronous: no other warning can fall into this moment.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
