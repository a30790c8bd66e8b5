import { existsSync } from 'node:fs';
import process from 'node:process';
import packed from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

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
];

const installed = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

/** Launches the Chromium of this machine (CHROME_PATH first), else the one that npm brought, unpacked to the folder. */
export async function launchBrowser(folder: string): Promise<Browser> {
  const found = process.env['CHROME_PATH'] || installed.find((path) => existsSync(path));
  return chromium.launch({
    executablePath: found ?? (await unpackBrowser(folder)),
    args: quiet,
    timeout: 30_000,
  });
}

async function unpackBrowser(folder: string): Promise<string> {
  const { TMPDIR } = process.env;
  try {
    process.env['TMPDIR'] = folder;
    return await packed.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}
