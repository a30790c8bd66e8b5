import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { noncePlaceholder } from './src/server/nonce-placeholder.ts';

export default defineConfig({
  root: 'src/page',
  plugins: [react()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    // A `data:` URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4000' } },
});
