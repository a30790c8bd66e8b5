/** How a page is shown. */
export interface View {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

/** A light desk, and a dark phone. */
export const views: readonly View[] = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
];

/** A page of each kind. */
export const kindsOfPages = [
  '/',
  '/packages/client.html',
  '/outcomes.html',
  '/how-it-works.html',
  '/api/schema.html',
  '/playground.html',
] as const;
