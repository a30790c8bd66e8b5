import './shell.css';
import { type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { shellWords } from '../words/shell.ts';
import { contentId } from './skip-link.tsx';
import { useTitle } from './use-title.ts';
import { ViewBoundary } from './view-boundary.tsx';

export interface ViewProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** One view's content: named in the title of the page, and kept from taking the rest along when it breaks. */
export function View({ title, children }: ViewProps) {
  const [location] = useLocation();
  useTitle(title);
  return (
    <main className="desk-main" id={contentId} tabIndex={-1}>
      <ViewBoundary key={location}>
        <Suspense fallback={<Waiting />}>{children}</Suspense>
      </ViewBoundary>
    </main>
  );
}

function Waiting() {
  return (
    <p className="desk-waiting" role="status">
      {shellWords.loading}
    </p>
  );
}
