/** Stands where Node leaves JavaScript for the network: notes what gets there, and lets none of it out. */
'use strict';
const process = require('node:process');

const { TCP } = process.binding('tcp_wrap');
const { UDP } = process.binding('udp_wrap');
const names = process.binding('cares_wrap');
const seen = [];

/** An error of libuv that any platform has, so that Node gives the call up. */
const INVALID = process.binding('uv').UV_EINVAL;

function note(owner, name) {
  owner[name] = (...args) => {
    seen.push(`${name} ${args.filter((arg) => typeof arg === 'string')}`);
    return INVALID;
  };
}

for (const name of ['connect', 'connect6']) note(TCP.prototype, name);
for (const name of ['connect', 'connect6', 'send', 'send6']) note(UDP.prototype, name);
for (const name of ['getaddrinfo', 'getnameinfo']) note(names, name);
for (const name of Object.getOwnPropertyNames(names.ChannelWrap.prototype)) {
  if (/^query|^getHost/.test(name)) note(names.ChannelWrap.prototype, name);
}

globalThis.seenBySpy = seen;
