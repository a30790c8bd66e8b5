import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import packed from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { insideTestLimitMs } from './limits.ts';

/** Nothing but the page under test uses the network, and nothing of a first start is in its way. */
const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

const installed = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

/** Launches the Chromium of this machine (CHROME_PATH first), else the one that npm brought along. */
export async function launchBrowser(): Promise<Browser> {
  const found = process.env['CHROME_PATH'] || installed.find((path) => existsSync(path));
  const executablePath = found ?? (await unpackBrowser());
  // Chromium leaves files where it is ended while it works.
  const folder = await mkdtemp(join(tmpdir(), 'orders-browser-'));
  const env = { ...process.env, TMPDIR: folder };
  const browser = await chromium.launch({ executablePath, args: quiet, timeout: insideTestLimitMs, env });
  browser.once('disconnected', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return browser;
}

/**
 * Unpacks the browser beside its package, once. By itself it would go to the folder for temporary
 * files, where a half-written one is taken for whole and another user's cannot be run.
 */
async function unpackBrowser(): Promise<string> {
  const place = join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../../unpacked');
  const executable = join(place, 'chromium');
  if (existsSync(executable)) return executable;
  const draft = await mkdtemp(`${place}-`);
  const { TMPDIR } = process.env;
  try {
    process.env['TMPDIR'] = draft;
    await packed.executablePath();
    await rename(draft, place);
  } catch (error) {
    // Another process unpacked it meanwhile: its copy is as good.
    if (!existsSync(executable)) throw error;
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    await rm(draft, { recursive: true, force: true });
  }
  return executable;
}
