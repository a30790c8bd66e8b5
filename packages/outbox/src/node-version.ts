import { versions } from 'node:process';

// Without it, what fails first would be blamed on the program: on a handler, or on the database.
if (!('withResolvers' in Promise))
  throw new Error(`@orders/outbox needs Node 22.19 or newer, and this is Node ${versions.node}.`);
