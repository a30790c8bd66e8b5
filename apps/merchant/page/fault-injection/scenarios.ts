import type { FaultSetting } from '../../shared/api.ts';

/** What the mock order service can be made to do. */
export const scenarios: readonly {
  readonly value: FaultSetting['scenario'];
  readonly label: string;
  readonly description: string;
}[] = [
  { value: 'healthy', label: 'Healthy', description: 'Every update is applied.' },
  { value: 'slow', label: 'Slow', description: 'Applied, but the response comes after 2 s.' },
  {
    value: 'rateLimited',
    label: 'Rate limited (429)',
    description: 'Not applied. Sent again when Retry-After is over.',
  },
  {
    value: 'unavailable',
    label: 'Unavailable (503)',
    description: 'Not applied, but we cannot know: needs review.',
  },
  {
    value: 'lostResponse',
    label: 'Lost response',
    description: 'Applied, then the connection breaks: needs review.',
  },
  { value: 'down', label: 'Down', description: 'Connections are refused. Sent again until one is accepted.' },
];
