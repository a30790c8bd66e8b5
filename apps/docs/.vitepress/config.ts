import { defineConfig } from 'vitepress';
import { findPackages } from '../src/api/find-packages.ts';
import { extendMarkdown } from '../src/site/markdown.ts';

const known = ['schema', 'auth', 'client', 'testing', 'outbox', 'cli'];
const rank = (slug: string): number => (known.includes(slug) ? known.indexOf(slug) : known.length);
const packages = findPackages().toSorted((a, b) => rank(a.slug) - rank(b.slug));

// biome-ignore lint/style/noDefaultExport: VitePress loads the default export.
export default defineConfig({
  title: 'orders',
  description: 'TypeScript packages that send order updates and report the outcome of each.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  markdown: {
    config: extendMarkdown,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
  },
  vite: {
    oxc: { jsx: { runtime: 'automatic', importSource: 'vue' } },
    // The packages are taken from their sources, so the site needs nothing built.
    resolve: { conditions: ['@orders/source', 'module', 'browser', 'development|production'] },
  },
  themeConfig: {
    logo: '/logo.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      {
        text: 'Guide',
        link: '/getting-started',
        activeMatch: '/(getting-started|outcomes|api-reference|guides|packages)',
      },
      { text: 'Exports', link: '/api/client', activeMatch: '/api/' },
      { text: 'Playground', link: '/playground' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Getting started', link: '/getting-started' },
          { text: 'Outcomes', link: '/outcomes' },
          { text: 'API reference', link: '/api-reference' },
          { text: 'Playground', link: '/playground' },
        ],
      },
      {
        text: 'Packages',
        items: [
          ...known.map((slug) => ({ text: `@orders/${slug}`, link: `/packages/${slug}` })),
          { text: 'The command orders', link: '/packages/cli-reference' },
        ],
      },
      {
        text: 'Guides',
        items: [
          { text: 'Express', link: '/guides/express' },
          { text: 'Hono', link: '/guides/hono' },
          { text: 'Next.js', link: '/guides/next' },
          { text: 'Retry and certainty', link: '/guides/retry-and-certainty' },
          { text: 'What no client can see', link: '/guides/what-no-client-can-see' },
          { text: 'Webhooks and QR payments', link: '/guides/qr-payments' },
          { text: 'Bulk', link: '/guides/bulk' },
          { text: 'From a CSV file', link: '/guides/csv-file' },
          { text: 'Front-end forms', link: '/guides/forms' },
          { text: 'Rotating keys', link: '/guides/rotating-keys' },
          { text: 'Proxies and mTLS', link: '/guides/proxies-and-mtls' },
          { text: 'The outbox in production', link: '/guides/outbox-in-production' },
          { text: 'OpenTelemetry', link: '/guides/open-telemetry' },
          { text: 'Undocumented', link: '/guides/undocumented' },
        ],
      },
      {
        text: 'Testing',
        items: [
          { text: 'Test your integration', link: '/guides/testing' },
          { text: 'From another language', link: '/guides/testing-from-another-language' },
          { text: 'Run it against staging', link: '/guides/staging' },
        ],
      },
      {
        text: 'Exports',
        items: packages.map(({ name, slug }) => ({ text: name, link: `/api/${slug}` })),
      },
    ],
    docFooter: { prev: 'Previous', next: 'Next' },
    footer: { message: 'Released under the MIT licence.' },
  },
});
