import process from 'node:process';
import * as zlib from 'node:zlib';

// The check of @orders/client, in words for a shell.
if (!('createZstdDecompress' in zlib)) {
  process.stderr.write(`orders needs Node 22.19 or newer, and this is Node ${process.versions.node}.\n`);
  process.exit(3);
}
