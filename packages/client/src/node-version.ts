import { versions } from 'node:process';
import * as zlib from 'node:zlib';

// undici fails without it while it is loaded, with a message that names nothing.
if (!('createZstdDecompress' in zlib)) {
  throw new Error(`@orders/client needs Node 22.19 or newer, and this is Node ${versions.node}.`);
}
