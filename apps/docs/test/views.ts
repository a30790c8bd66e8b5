/** How a page is looked at. */
export interface View {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: { readonly width: number; readonly height: number };
}

/** Light and dark on a desk, and a phone. */
export const views: readonly View[] = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 } },
];

/** A page of each kind. */
export const kindsOfPages = [
  '/',
  '/packages/client.html',
  '/outcomes.html',
  '/api/schema.html',
  '/playground.html',
] as const;
