export { basic } from './basic.ts';
export { bearer } from './bearer.ts';
export { type Authorization, authorize, type Credentials } from './credentials.ts';
export type { KeyType } from './key-type.ts';
export { Secret } from './secret.ts';
