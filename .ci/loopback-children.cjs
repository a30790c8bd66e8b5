'use strict';
const childProcess = require('node:child_process');
const process = require('node:process');
const threads = require('node:worker_threads');
const { recordEnvironment } = require('./loopback-refusal.cjs');

/** Hands a preloaded script on to every process and thread that this one starts, whatever environment it gives them. */
function guardChildren(script) {
  const flag = `--require=${JSON.stringify(script)}`;
  process.env.NODE_OPTIONS = addFlag(process.env.NODE_OPTIONS, flag);
  const guarded = (env) => ({
    ...env,
    ...recordEnvironment(),
    NODE_OPTIONS: addFlag(env.NODE_OPTIONS, flag),
  });
  guardSpawn(guarded);
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) guardSpawnSync(name, guarded);
  guardWorkers(guarded);
}

function addFlag(options = '', flag) {
  return options.includes(flag) ? options : `${options} ${flag}`.trim();
}

/** spawn, exec, execFile, fork and cluster start their processes here. */
function guardSpawn(guarded) {
  const { spawn } = childProcess.ChildProcess.prototype;
  childProcess.ChildProcess.prototype.spawn = function (options) {
    if (options?.envPairs) {
      const env = Object.fromEntries(options.envPairs.map((pair) => pair.split(/(?<!^)=(.*)/s, 2)));
      options.envPairs = Object.entries(guarded(env)).map(([name, value]) => `${name}=${value}`);
    }
    return spawn.call(this, options);
  };
}

function guardSpawnSync(name, guarded) {
  const spawnSync = childProcess[name];
  childProcess[name] = function (...args) {
    const options = args.at(-1);
    if (options?.env) args[args.length - 1] = { ...options, env: guarded(options.env) };
    return spawnSync.apply(this, args);
  };
}

function guardWorkers(guarded) {
  threads.Worker = class Worker extends threads.Worker {
    constructor(file, options = {}) {
      const { env } = options;
      super(file, env && typeof env === 'object' ? { ...options, env: guarded(env) } : options);
    }
  };
}

module.exports = { guardChildren };
