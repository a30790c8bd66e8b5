import { Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';

/** The heading of a view, which names its window as well. */
export function ViewTitle({ children }: { readonly children: string }) {
  useDocumentTitle(`${children} - Merchant app`);
  return (
    // What was decided leaves the view, and the focus comes here.
    <Title order={1} size="h2" id="view-title" tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Title>
  );
}
