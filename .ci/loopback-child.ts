/** Takes every way out, then three that are open; prints which were not refused, and what a spy below the guard saw. */
import process from 'node:process';
import { findWaysOut, lookupWays, tcpWays, udpWays } from './loopback-ways.ts';

declare global {
  var seenBySpy: readonly string[];
}

const open = await findWaysOut();
// The spy turns these away, which shows that it is there.
await tcpWays['net.connect']?.('127.0.0.1', 9).catch(() => {});
await udpWays['send of dgram']?.('127.0.0.1', 9).catch(() => {});
await lookupWays['dns.promises.lookup']?.('shop.localhost', 9).catch(() => {});
process.stdout.write(JSON.stringify({ open, seen: seenBySpy }));
