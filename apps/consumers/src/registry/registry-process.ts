/** A process that is verdaccio: it is given its configuration, and tells its port once it listens. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { toolsFolder } from '../machine/tools.ts';

const { runServer }: { runServer: (config: object) => Promise<Server> } = createRequire(
  join(toolsFolder, 'package.json'),
)('verdaccio');

// Whoever asked for it may be killed, and must not leave it behind.
process.once('disconnect', () => process.exit());
const [config]: object[] = await once(process, 'message');
const server = await runServer(config ?? {});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
