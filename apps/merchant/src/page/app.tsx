import './app.css';
import { lazy } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { DecisionsPage } from './decisions/decisions-page.tsx';
import { useLiveCache } from './live/use-live-cache.ts';
import { OrdersPage } from './orders/orders-page.tsx';
import { readSendsThrough } from './sends-through.ts';
import { Header } from './shell/header.tsx';
import { NotFound } from './shell/not-found.tsx';
import { SkipLink } from './shell/skip-link.tsx';
import { useViewFocus } from './shell/use-view-focus.ts';
import { View } from './shell/view.tsx';
import { shellWords } from './words/shell.ts';

const BulkPage = lazy(async () => ({ default: (await import('./bulk/bulk-page.tsx')).BulkPage }));
const OutboxPage = lazy(async () => ({ default: (await import('./outbox/outbox-page.tsx')).OutboxPage }));
const SwitchboardPage = lazy(async () => ({
  default: (await import('./switchboard/switchboard-page.tsx')).SwitchboardPage,
}));

/** The desk: its views under one header. */
export function App() {
  useLiveCache();
  const frame = useViewFocus();
  const hasOutbox = readSendsThrough() === 'outbox';
  return (
    <div className="desk" ref={frame}>
      <SkipLink />
      <Header />
      <Switch>
        <Route path="/">
          <OrdersPage />
        </Route>
        <Route path="/orders/:token">{({ token }) => <OrdersPage token={readSegment(token)} />}</Route>
        <Route path="/decisions">
          {hasOutbox ? (
            <Redirect to="/outbox" replace />
          ) : (
            <View title={shellWords.views.decisions}>
              <DecisionsPage />
            </View>
          )}
        </Route>
        {hasOutbox && (
          <Route path="/outbox">
            <View title={shellWords.views.outbox}>
              <OutboxPage />
            </View>
          </Route>
        )}
        <Route path="/bulk/:id?">
          <View title={shellWords.views.bulk}>
            <BulkPage />
          </View>
        </Route>
        <Route path="/switchboard">
          <View title={shellWords.views.switchboard}>
            <SwitchboardPage />
          </View>
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </div>
  );
}

/** A segment of an address as it was meant; one that is not well formed leads to no order. */
function readSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
