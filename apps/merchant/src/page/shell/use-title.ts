import { useEffect } from 'react';
import { shellWords } from '../words/shell.ts';

/** Names the view in the title of the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${shellWords.title}`;
  }, [title]);
}
