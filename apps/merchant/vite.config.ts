import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { noncePlaceholder } from './shared/limits.ts';

/** `pnpm dev` runs the server from its sources beside the page, and again at each change. */
const devServer: Plugin = {
  name: 'merchant-server',
  apply: 'serve',
  configureServer({ httpServer }) {
    httpServer?.once('listening', () => {
      const pageUrl = `http://localhost:${(httpServer.address() as AddressInfo).port}`;
      const main = `${import.meta.dirname}/server/main.ts`;
      const words = ['--watch', '--conditions=@orders/source', main, '--page-url', pageUrl];
      const server = spawn(process.execPath, words, { stdio: 'inherit' });
      httpServer.once('close', () => server.kill());
      process.once('exit', () => server.kill());
    });
  },
};

export default defineConfig({
  root: 'page',
  plugins: [react(), devServer],
  resolve: { conditions: ['@orders/source', 'module', 'browser', 'development|production'] },
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    // A `data:` URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // To serve the page is to distribute its dependencies, and their licences ask for their texts.
    license: { fileName: 'third-party-licenses.md' },
  },
  // The server compares the origin of the page with the host that it is called by.
  server: { proxy: { '^/api/': { target: 'http://127.0.0.1:4000', changeOrigin: false } } },
});
