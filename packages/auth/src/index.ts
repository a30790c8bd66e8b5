export { type Authorization, authorize, basic, bearer, type Credentials } from './credentials.ts';
export { Secret } from './secret.ts';
