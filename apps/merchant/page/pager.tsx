import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { PageStart } from './api.ts';

/** The place in a list that is read page by page. */
export interface Pages {
  /** Where the page begins. */
  readonly start: PageStart;
  /** From 1. */
  readonly number: number;
  readonly goTo: (after: string) => void;
  readonly goBack: () => void;
  readonly reset: () => void;
}

/** Begins with the first page, and remembers where the pages before this one began. */
export function usePages(): Pages {
  const [starts, setStarts] = useState<readonly string[]>([]);
  const after = starts.at(-1);
  return {
    start: after === undefined ? {} : { after },
    number: starts.length + 1,
    goTo: (next) => setStarts([...starts, next]),
    goBack: () => setStarts(starts.slice(0, -1)),
    reset: () => setStarts([]),
  };
}

/** The buttons between the pages of a list; nothing where it has one page. */
export function Pager({
  pages,
  next,
}: {
  readonly pages: Pages;
  /** Where the next page begins. */
  readonly next: string | undefined;
}) {
  if (pages.number === 1 && next === undefined) return null;
  return (
    <Group gap="sm">
      <Button variant="default" size="xs" disabled={pages.number === 1} onClick={pages.goBack}>
        Previous page
      </Button>
      <Text size="sm">Page {pages.number.toLocaleString('en')}</Text>
      <Button
        variant="default"
        size="xs"
        disabled={next === undefined}
        onClick={() => next !== undefined && pages.goTo(next)}
      >
        Next page
      </Button>
    </Group>
  );
}
