import { answerJson } from '../service/answer.ts';
import type { ControlRoute } from './control-route.ts';
import { FAULT_ROUTES } from './fault-routes.ts';
import { RECORD_ROUTES } from './record-routes.ts';
import { WEBHOOK_ROUTES } from './webhook-routes.ts';

/** Everything that the control API can be asked for. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/',
    does: 'lists the routes',
    answer: () =>
      answerJson(200, { routes: CONTROL_ROUTES.map(({ method, path, does }) => ({ method, path, does })) }),
  },
  {
    method: 'POST',
    path: '/reset',
    does: 'puts orders, ledger, journal, faults and webhooks back to how they began',
    isBodiless: true,
    answer({ sources }) {
      sources.reset();
      return answerJson(204, undefined);
    },
  },
  ...FAULT_ROUTES,
  ...RECORD_ROUTES,
  ...WEBHOOK_ROUTES,
];

/** What stands in the place of `<id>`, decoded, or an empty text; undefined when the path is another. */
export function matchPath(pattern: string, path: string): string | undefined {
  const [before = '', after] = pattern.split('<id>');
  if (after === undefined) return path === pattern ? '' : undefined;
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const segment = path.slice(before.length, path.length - after.length);
  if (segment === '' || segment.includes('/')) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
