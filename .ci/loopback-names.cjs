'use strict';
const dns = require('node:dns');
const { isIP } = require('node:net');
const process = require('node:process');
const { isInvalidName, isLocalName, isLoopback, refuse } = require('./loopback-refusal.cjs');

const { nextTick } = process;

/** Resolvers that were told to ask servers on loopback. */
const local = new WeakSet();

/** Keeps this process or thread from asking another machine for a name or an address. */
function guardNames() {
  guardFunctions(dns, dns.Resolver.prototype, answerByCallback);
  guardFunctions(dns.promises, dns.promises.Resolver.prototype, answerByPromise);
  watchServers(Object.getPrototypeOf(dns.Resolver.prototype));
}

function guardFunctions(functions, resolver, answer) {
  askFirst(functions, 'lookup', { judge: judgeLookup, answer });
  askFirst(functions, 'lookupService', { judge: judgeService, answer });
  for (const name of Object.keys(functions).filter((each) => /^(?:resolve|reverse)/.test(each))) {
    const judge = ([asked], self) => judgeQuery(name, asked, self);
    askFirst(functions, name, { judge, answer });
    askFirst(resolver, name, { judge, answer });
  }
}

/** Puts a judge before a function: the error that it finds is the answer, in the function's own manner. */
function askFirst(owner, name, { judge, answer }) {
  const original = owner[name];
  const asking = function (...args) {
    return answer(args, {
      judge: () => judge(args, this),
      proceed: () => original.apply(this, args),
    });
  };
  owner[name] = Object.defineProperties(asking, Object.getOwnPropertyDescriptors(original));
}

function answerByCallback(args, { judge, proceed }) {
  const callback = args.findLast((arg) => typeof arg === 'function');
  const error = callback && judge();
  if (!error) return proceed();
  nextTick(callback, error);
  return {};
}

function answerByPromise(_args, { judge, proceed }) {
  const error = judge();
  return error ? Promise.reject(error) : proceed();
}

function judgeLookup(args) {
  const [name] = args;
  if (typeof name !== 'string' || name === '' || isIP(name)) return undefined;
  if (isInvalidName(name)) return notFound('getaddrinfo', name);
  if (!isLocalName(name)) return refuse('getaddrinfo', name);
  // Only this name is sure to be answered without a name server.
  args[0] = 'localhost';
  return undefined;
}

function judgeService([address, port]) {
  // Other addresses of loopback have no name in a hosts file and would be asked for.
  const isNamed = !isIP(address) || ['127.0.0.1', '::1'].includes(address);
  return isNamed ? undefined : refuse('getnameinfo', address, port);
}

function judgeQuery(syscall, name, resolver) {
  if (typeof name !== 'string' || local.has(resolver)) return undefined;
  return isInvalidName(name) ? notFound(syscall, name) : refuse(syscall, name);
}

/** What a resolver answers without a question (RFC 6761, section 6.4). */
function notFound(syscall, hostname) {
  const error = new Error(`${syscall} ENOTFOUND ${hostname}`);
  return Object.assign(error, { code: 'ENOTFOUND', syscall, hostname });
}

/** Servers of the machine do not count, even on loopback: such a one asks others. */
function watchServers(resolver) {
  const { setServers } = resolver;
  resolver.setServers = function (servers) {
    setServers.call(this, servers);
    const addresses = this.getServers().map((server) =>
      server.replace(/^\[(.*)\]:\d+$|^([\d.]+):\d+$/, '$1$2'),
    );
    if (addresses.length > 0 && addresses.every(isLoopback)) local.add(this);
    else local.delete(this);
  };
}

module.exports = { guardNames };
