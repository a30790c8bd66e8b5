/** Loaded before anything else in every process and thread of a test run. */
'use strict';
const { syncBuiltinESMExports } = require('node:module');
const { guardChildren } = require('./loopback-children.cjs');
const { guardNames } = require('./loopback-names.cjs');
const { guardSockets } = require('./loopback-sockets.cjs');

guardNames();
guardSockets();
guardChildren(__filename);
syncBuiltinESMExports();
