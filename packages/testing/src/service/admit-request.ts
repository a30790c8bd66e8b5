import type { Refusal } from './answer.ts';
import { type AuthorizationFacts, type KeyType, UPDATING_KEY_TYPE } from './key-ring.ts';
import { acceptsJson, isJsonContentType } from './media-type.ts';
import type { RequestHead } from './request-head.ts';
import type { RequestTarget } from './request-target.ts';

/** What a request asks for, once nothing in its head speaks against it. */
export type Admission =
  | { readonly operation: 'refuse'; readonly refusal: Refusal }
  | { readonly operation: 'methods'; readonly allow: string }
  | { readonly operation: 'echo'; readonly keyType: KeyType }
  | { readonly operation: 'update'; readonly token: string };

const METHODS = {
  order: ['PATCH', 'OPTIONS'],
  echo: ['GET', 'HEAD', 'OPTIONS'],
  server: ['OPTIONS'],
} as const;

/** Judges a request by its head alone, in the order: path, method, key, key type, Accept, Content-Type. */
export function admitRequest(
  head: RequestHead,
  target: RequestTarget,
  authorization: AuthorizationFacts,
): Admission {
  if ('problem' in target) return refuse(target.problem === 'malformed' ? MALFORMED_PATH : UNKNOWN_PATH);
  const methods: readonly string[] = METHODS[target.resource];
  if (!methods.includes(head.method)) return refuse(wrongMethod(methods));
  if (head.method === 'OPTIONS' || target.resource === 'server') {
    return { operation: 'methods', allow: methods.join(', ') };
  }
  const { keyType } = authorization;
  if (keyType === undefined) return refuse(unauthorized(authorization));
  if (target.resource === 'order' && keyType !== UPDATING_KEY_TYPE) return refuse(WRONG_KEY_TYPE);
  const { headers } = head;
  if (!acceptsJson(headers['accept'])) return refuse(NOT_ACCEPTABLE);
  if (target.resource === 'echo') return { operation: 'echo', keyType };
  const isPlain = !isEncoded(headers['content-encoding'] ?? 'identity');
  if (!isPlain || !isJsonContentType(headers['content-type'])) return refuse(WRONG_TYPE);
  return { operation: 'update', token: target.token };
}

function refuse(refusal: Refusal): Admission {
  return { operation: 'refuse', refusal };
}

function isEncoded(encoding: string): boolean {
  return encoding.trim().toLowerCase() !== 'identity';
}

const MALFORMED_PATH: Refusal = {
  status: 400,
  code: 'path_malformed',
  message: 'The path is not percent-encoded UTF-8; encode the order token once, as one path segment.',
};

const UNKNOWN_PATH: Refusal = {
  status: 404,
  code: 'path_not_found',
  message: 'No such path; there are PATCH /v2/orders/<order_token> and GET /v2/echo_with_private_key.',
};

const WRONG_KEY_TYPE: Refusal = {
  status: 403,
  code: 'key_type_not_allowed',
  message: `Updating an order takes a key of type ${UPDATING_KEY_TYPE}; this key is of another type.`,
};

const NOT_ACCEPTABLE: Refusal = {
  status: 406,
  code: 'not_acceptable',
  message: 'The Accept header excludes application/json, and nothing else is served.',
};

const WRONG_TYPE: Refusal = {
  status: 415,
  code: 'media_type_unsupported',
  message: 'Send the body with Content-Type: application/json, in UTF-8 and without a Content-Encoding.',
};

const KEY_REFUSALS = {
  missing: ['key_missing', 'Send Authorization: Basic <base64 of "<API_KEY>:">; there is no such header.'],
  malformed: [
    'key_malformed',
    'The Authorization header is not Basic <base64 of "<API_KEY>:"> with an empty password.',
  ],
  unsupported: [
    'scheme_unsupported',
    'Only the Basic scheme is served here; send Basic <base64 of "<API_KEY>:">.',
  ],
  unknown: ['key_unknown', 'No key of this service is the one that was sent.'],
} as const;

export function unauthorized({ problem = 'missing' }: AuthorizationFacts): Refusal {
  const [code, message] = KEY_REFUSALS[problem];
  return {
    status: 401,
    code,
    message,
    headers: { 'www-authenticate': 'Basic realm="orders", charset="UTF-8"' },
  };
}

function wrongMethod(methods: readonly string[]): Refusal {
  const allow = methods.join(', ');
  return {
    status: 405,
    code: 'method_not_allowed',
    message: `This path takes ${allow}.`,
    headers: { allow },
  };
}
