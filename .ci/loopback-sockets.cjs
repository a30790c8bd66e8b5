'use strict';
const dgram = require('node:dgram');
const net = require('node:net');
const process = require('node:process');
const { getSystemErrorMap } = require('node:util');
const { isInvalidName, isLocalName, isLoopback, refuse } = require('./loopback-refusal.cjs');

const { nextTick } = process;

/** Lets TCP and UDP of this process or thread reach loopback alone. */
function guardSockets() {
  guardTcp();
  guardUdp();
  guardHandles();
}

/** TLS, HTTP, HTTP/2, fetch and undici connect here. */
function guardTcp() {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    const given = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
    given[0] = checkTarget(given[0]);
    return connect.call(this, given);
  };
}

/** The options as they are, or such that fail the way a name does that is not found. */
function checkTarget(options) {
  const { port, lookup } = options;
  const host = options.host || 'localhost';
  if (options.path || typeof host !== 'string') return options;
  if (net.isIP(host)) return isLoopback(host) ? options : refusing(options, host);
  // A lookup of the caller's own may lead any name to loopback.
  if (lookup) return withLookup(options, checkLookup(lookup, port));
  return isLocalName(host) || isInvalidName(host) ? options : refusing(options, host);
}

function refusing(options, host) {
  const named = Object.create(options, { host: { value: 'refused.invalid' } });
  return withLookup(named, (_host, _options, done) => done(refuse('connect', host, options.port)));
}

function withLookup(options, lookup) {
  return Object.create(options, { lookup: { value: lookup } });
}

function checkLookup(lookup, port) {
  return (host, options, done) =>
    lookup(host, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      const other = addresses.find((address) => net.isIP(address) && !isLoopback(address));
      if (error || other === undefined) done(error, found, family);
      else done(refuse('connect', other, port));
    });
}

function guardUdp() {
  const { connect, send } = dgram.Socket.prototype;
  dgram.Socket.prototype.connect = function (...args) {
    const [port, host] = args;
    if (!refuses(this, { syscall: 'connect', host, port, args })) connect.apply(this, args);
  };
  dgram.Socket.prototype.send = function (...args) {
    const hasRange = args[4] || (args[3] && typeof args[3] !== 'function');
    const [port, host] = args.slice(hasRange ? 3 : 1);
    if (!refuses(this, { syscall: 'send', host, port, args })) send.apply(this, args);
  };
}

/** Whether the address was refused; a name is left to the lookup. */
function refuses(socket, { syscall, host, port, args }) {
  if (!net.isIP(host) || isLoopback(host)) return false;
  const error = refuse(syscall, host, port);
  const callback = args.find((arg) => typeof arg === 'function');
  nextTick(() => (callback ? callback(error) : socket.emit('error', error)));
  return true;
}

/** The last door: what comes by another way, such as a lookup of one's own for UDP, fails as without permission. */
function guardHandles() {
  const { TCP } = process.binding('tcp_wrap');
  const { UDP } = process.binding('udp_wrap');
  const doors = [
    [TCP, 'connect', 1],
    [TCP, 'connect6', 1],
    [UDP, 'connect', 0],
    [UDP, 'connect6', 0],
    [UDP, 'send', 4],
    [UDP, 'send6', 4],
  ];
  for (const [{ prototype }, syscall, index] of doors) {
    const open = prototype[syscall];
    prototype[syscall] = function (...args) {
      const address = args[index];
      if (!net.isIP(address) || isLoopback(address)) return open.apply(this, args);
      refuse(syscall, address, args[syscall.startsWith('send') ? 3 : index + 1]);
      const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES');
      return denied;
    };
  }
}

module.exports = { guardSockets };
