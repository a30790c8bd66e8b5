'use strict';
const { appendFileSync } = require('node:fs');
const { BlockList, isIP } = require('node:net');
const process = require('node:process');
const { threadId } = require('node:worker_threads');

/** Names the file that takes the refusals of one test file and of every process that it starts. */
const RECORD = 'LOOPBACK_ONLY_RECORD';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

let record = process.env[RECORD];
let made = 0;

/** Whether an IP address is loopback, be it IPv4, IPv6 or the one inside the other. */
function isLoopback(address) {
  const [bare] = address.split('%');
  return loopback.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a name is loopback wherever it is asked for (RFC 6761, section 6.3). */
function isLocalName(name) {
  return /^(?:.*\.)?localhost\.?$/i.test(name);
}

/** Whether a name is one that nobody can have (RFC 6761, section 6.4). */
function isInvalidName(name) {
  return /^(?:.*\.)?invalid\.?$/i.test(name);
}

/** Makes the error of a refusal, and puts it on the record, since code may swallow the error. */
function refuse(syscall, hostname, port) {
  const place =
    port === undefined ? hostname : `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
  const error = new Error(`${syscall} ${place}: refused, because tests talk to loopback alone`);
  made += 1;
  if (record !== undefined) {
    const id = `${process.pid}.${threadId}.${made}`;
    appendFileSync(record, `${JSON.stringify({ id, syscall, hostname, place, at: findCaller() })}\n`);
  }
  return Object.assign(error, { code: 'ERR_NOT_LOOPBACK', syscall, hostname, port });
}

/** The line that asked, of the project if any of it is on the stack. */
function findCaller() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const lines = String(stack)
    .split('\n')
    .filter((line) => /[/\\]/.test(line) && !/node:|loopback-\w+\.cjs/.test(line));
  const line = lines.find((each) => !each.includes('node_modules')) ?? lines[0] ?? process.argv[1];
  return line?.trim();
}

/** Says where refusals are recorded from now on, here and in processes and threads that start later. */
function recordIn(file) {
  record = file;
  process.env[RECORD] = file;
}

/** What a process or thread must find in its environment to record its refusals. */
function recordEnvironment() {
  return record === undefined ? {} : { [RECORD]: record };
}

module.exports = { isLoopback, isLocalName, isInvalidName, refuse, recordIn, recordEnvironment };
