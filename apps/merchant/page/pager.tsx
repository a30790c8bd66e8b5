import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { PageStart } from './api.ts';

/** The place in a list that is read page by page: where its pages begin, up to the one that is shown. */
export function usePages() {
  const [starts, setStarts] = useState<readonly PageStart[]>([{}]);
  return { start: starts.at(-1) ?? {}, number: starts.length, starts, setStarts };
}

interface PagerProps {
  readonly pages: ReturnType<typeof usePages>;
  /** Where the next page begins. */
  readonly next: string | undefined;
}

/** The buttons between the pages of a list; nothing where it has one page. */
export function Pager({ pages: { starts, setStarts, number }, next }: PagerProps) {
  if (number === 1 && next === undefined) return null;
  const goTo = (after: string | undefined) => after !== undefined && setStarts([...starts, { after }]);
  return (
    <Group gap="sm">
      <Button
        variant="default"
        size="xs"
        disabled={number === 1}
        onClick={() => setStarts(starts.slice(0, -1))}
      >
        Previous page
      </Button>
      <Text size="sm">Page {number.toLocaleString('en')}</Text>
      <Button variant="default" size="xs" disabled={next === undefined} onClick={() => goTo(next)}>
        Next page
      </Button>
    </Group>
  );
}
