import { type Theme, useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { defineAsyncComponent, h, onMounted, watch } from 'vue';
// After the theme, whose colours it replaces.
import './theme.css';
import { Receipt } from '../../src/receipt.tsx';

// biome-ignore lint/style/noDefaultExport: VitePress loads the default export.
export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': () => h(Receipt) }),
  enhanceApp({ app }) {
    const load = async () => (await import('../../src/playground.tsx')).Playground;
    app.component('Playground', defineAsyncComponent(load));
  },
  setup() {
    const { frontmatter } = useData();
    // The home page of the default theme has no main landmark.
    const mark = (layout: unknown) =>
      document.getElementById('VPContent')?.setAttribute('role', layout === 'home' ? 'main' : 'presentation');
    onMounted(() => watch(() => frontmatter.value['layout'], mark, { immediate: true, flush: 'post' }));
  },
} satisfies Theme;
