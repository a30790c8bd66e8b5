import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineAsyncComponent } from 'vue';
// After the theme, whose colours it replaces.
import './theme.css';
import '../../src/site/outcomes.css';

/** What pages may use; each is loaded by the pages that do. */
const components = {
  HomeHero: defineAsyncComponent(async () => (await import('../../src/site/home-hero.tsx')).HomeHero),
  HomePackages: defineAsyncComponent(
    async () => (await import('../../src/site/home-packages.tsx')).HomePackages,
  ),
  OutcomeLegend: defineAsyncComponent(
    async () => (await import('../../src/site/outcome-legend.tsx')).OutcomeLegend,
  ),
  Playground: defineAsyncComponent(
    async () => (await import('../../src/playground/playground.tsx')).Playground,
  ),
};

// biome-ignore lint/style/noDefaultExport: VitePress loads the default export.
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    for (const [name, component] of Object.entries(components)) app.component(name, component);
  },
} satisfies Theme;
