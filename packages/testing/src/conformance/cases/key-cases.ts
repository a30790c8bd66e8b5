import type { ConformanceCase } from '../conformance-case.ts';
import { ECHO, plainUpdate } from '../requests.ts';

const ofEcho = {
  changes: 'nothing',
  needs: [],
  baseline: 'echo',
} as const;

const ofUpdate = {
  changes: 'order',
  baseline: 'update',
  expect: { outcome: 'refused' },
} as const;

/** Who may do what (interface document, Authentication; what a refusal looks like is not shown). */
export const keyCases: readonly ConformanceCase[] = [
  {
    ...ofEcho,
    id: 'echo-accepts-key',
    title: 'An echo with the key as user name and an empty password is accepted',
    source: 'Echo with private key',
    strength: 'stated',
    request: () => ECHO,
    expect: { outcome: 'accepted' },
  },
  {
    ...ofEcho,
    id: 'echo-refuses-missing-key',
    title: 'An echo without a key is refused',
    source: 'Echo with private key',
    strength: 'implied',
    request: () => ({ ...ECHO, authorization: 'none' }),
    expect: { outcome: 'refused' },
  },
  {
    ...ofEcho,
    id: 'echo-refuses-unknown-key',
    title: 'An echo with a key that nobody has is refused',
    source: 'Echo with private key',
    strength: 'implied',
    request: () => ({ ...ECHO, authorization: 'unknown_key' }),
    expect: { outcome: 'refused' },
  },
  {
    ...ofEcho,
    id: 'echo-refuses-key-as-password',
    title: 'An echo with the key as password and an empty user name is refused',
    source: 'Authentication',
    strength: 'implied',
    request: () => ({ ...ECHO, authorization: 'key_as_password' }),
    expect: { outcome: 'refused' },
  },
  {
    ...ofUpdate,
    id: 'update-refuses-missing-key',
    title: 'An update without a key is refused',
    source: 'Update order',
    strength: 'stated',
    needs: ['orderToken'],
    request: (context) => ({ ...plainUpdate(context), authorization: 'none' }),
  },
  {
    ...ofUpdate,
    id: 'update-refuses-unknown-key',
    title: 'An update with a key that nobody has is refused',
    source: 'Update order',
    strength: 'stated',
    needs: ['orderToken'],
    request: (context) => ({ ...plainUpdate(context), authorization: 'unknown_key' }),
  },
  {
    ...ofUpdate,
    id: 'update-refuses-other-key-type',
    title: 'An update with a key of another type than SalesChannelApiKey is refused',
    source: 'Update order',
    strength: 'stated',
    needs: ['orderToken', 'otherTypeKey'],
    request: (context) => ({ ...plainUpdate(context), authorization: 'other_type_key' }),
  },
];
