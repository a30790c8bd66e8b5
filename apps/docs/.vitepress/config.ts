import { defineConfig } from 'vitepress';
import llmsTxt from 'vitepress-plugin-llms';
import { expandPages, extendMarkdown } from '../src/markdown.ts';
import { bugs, entries, homepage, packages, repositoryUrl, version } from '../src/repository.ts';

/** What a coding assistant has to know before it chooses a page of llms.txt. */
const forAssistants = `The packages send order updates to a payment service. Each update ends as one of four outcomes:

- \`applied\`: done.
- \`rejected\`: the service refused it. Fix the update or the key; after a 429, send it later.
- \`not_sent\`: no byte of it left. Fix the update, or send it later.
- \`unknown\`: it may have been applied. Never resend it, and do not enqueue it in the outbox, which would send it again; store it with its receipt and let a person decide.

Nothing is on npm before the first release: [install from a clone](/getting-started.md#code-of-your-own). All but the schema and the credentials need Node 22.19 or newer.

Rules:

- Add no retry of your own: the client retries what is safe, and \`error.retryable\` says what may be sent later.
- Write amounts as integers. The API does not document their unit (minor or major): ask the user, never guess.
- Never invent what [is undocumented](/guides/undocumented.md): fields, statuses, responses, signatures of webhooks.
- Put updates into the [outbox](/packages/outbox.md) where the process may die between accepting and sending one.
- Test against the mock service of [@orders/testing](/guides/testing.md), and keep the key out of logs.

Each package has a skill: \`node_modules/@orders/<package>/skills/orders-<package>/SKILL.md\`. All pages are in [one file](/llms-full.txt).`;

/** Links of the sidebar, from pairs of title and page. */
const list = (pages: Readonly<Record<string, string>>) =>
  Object.entries(pages).map(([text, link]) => ({ text, link }));

// biome-ignore lint/style/noDefaultExport: VitePress loads the default export.
export default defineConfig({
  title: 'orders',
  description: 'TypeScript packages that send order updates and report the outcome of each.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  sitemap: { hostname: homepage },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  markdown: {
    config: extendMarkdown,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
  },
  vite: {
    // Its Markdown is that of the pages once they are expanded.
    plugins: [
      expandPages,
      llmsTxt({
        details: forAssistants,
        excludeIndexPage: false,
        // It would be /api.md, from where its links lead nowhere.
        ignoreFiles: ['api/index.md'],
        injectLLMHint: false,
      }),
    ],
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
        activeMatch:
          '/(getting-started|how-it-works|outcomes|promises|simulation|api-reference|guides|packages)',
      },
      { text: 'Exports', link: '/api/client', activeMatch: '/api/' },
      { text: 'Playground', link: '/playground' },
      {
        text: version === '0.0.0' ? 'Unreleased' : version,
        items: [
          ...packages.map(({ name, slug }) => ({
            text: `Changes of ${name}`,
            link: `${repositoryUrl}/blob/main/packages/${slug}/CHANGELOG.md`,
          })),
          { text: 'Repository', link: repositoryUrl },
          { text: 'Report a problem', link: bugs },
        ],
      },
    ],
    sidebar: [
      {
        text: 'Start',
        items: list({
          'Getting started': '/getting-started',
          'How it works': '/how-it-works',
          Outcomes: '/outcomes',
          'What we promise': '/promises',
          'The simulation': '/simulation',
          'API reference': '/api-reference',
          Playground: '/playground',
        }),
      },
      {
        text: 'Packages',
        items: [
          ...packages.map(({ name, slug }) => ({ text: name, link: `/packages/${slug}` })),
          { text: 'The command orders', link: '/packages/cli-reference' },
        ],
      },
      {
        text: 'Guides',
        items: list({
          Express: '/guides/express',
          Hono: '/guides/hono',
          'Next.js': '/guides/next',
          'Retry and certainty': '/guides/retry-and-certainty',
          'What no client can see': '/guides/what-no-client-can-see',
          'Webhooks and QR payments': '/guides/qr-payments',
          Bulk: '/guides/bulk',
          'From a CSV file': '/guides/csv-file',
          'Front-end forms': '/guides/forms',
          Amounts: '/guides/amounts',
          'Rotating keys': '/guides/rotating-keys',
          'Proxies and mTLS': '/guides/proxies-and-mtls',
          'The outbox in production': '/guides/outbox-in-production',
          'See it in your dashboard': '/guides/dashboard',
          'CommonJS, Jest and bundlers': '/guides/commonjs-jest-bundlers',
          Upgrades: '/guides/upgrades',
          Undocumented: '/guides/undocumented',
        }),
      },
      {
        text: 'Testing',
        items: list({
          'Test your integration': '/guides/testing',
          'From another language': '/guides/testing-from-another-language',
          'Judge a client': '/guides/judge',
          'Run it against staging': '/guides/staging',
        }),
      },
      {
        text: 'Exports',
        items: entries.map(({ specifier, slug }) => ({ text: specifier, link: `/api/${slug}` })),
      },
    ],
    docFooter: { prev: 'Previous', next: 'Next' },
    editLink: { pattern: `${repositoryUrl}/edit/main/apps/docs/pages/:path`, text: 'Edit this page' },
    footer: { message: 'Released under the MIT licence.' },
  },
});
