import fc from 'fast-check';
import { texts } from './texts.ts';

// Names and addresses reserved for documentation: whatever a test does with them, they are nobody's.
const HOSTS = [
  'shop.example',
  'shop.example:8443',
  'büro.example',
  'xn--bro-hoa.example',
  '{tenant}.shop.example',
  'user:secret@shop.example',
  '192.0.2.7',
  '[2001:db8::7]:8080',
];

/** Addresses of terms and webhooks: http or https, with placeholders in braces (interface document, Hooks). */
export function webUrls(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', 'Http://'),
      fc.constantFrom(...HOSTS),
      fc.array(segments(), { maxLength: 3 }).map((path) => path.map((segment) => `/${segment}`).join('')),
      part('?'),
      part('#'),
    )
    .map((parts) => parts.join(''));
}

/** Return addresses: any scheme but `javascript:` and `data:`, so that an app can be returned to. */
export function returnUrls(): fc.Arbitrary<string> {
  return fc.oneof(webUrls(), appUrls());
}

function appUrls(): fc.Arbitrary<string> {
  const places = fc.oneof(
    fc.constantFrom('//paid', '//{order_token}/done?s={session_id}', 'fail', '/', '?', '#'),
    segments().map((segment) => `//${segment}`),
  );
  return fc.tuple(schemes(), places).map(([scheme, place]) => `${scheme}:${place}`);
}

function schemes(): fc.Arbitrary<string> {
  anyScheme ??= fc.oneof(
    fc.constantFrom('myapp', 'my.app+x-1', 'MYAPP', 'mailto', 'intent', 'x', 'javascripts', 'java', 'datas'),
    fc.stringMatching(/^[a-z][a-z\d+.-]{0,12}$/).filter((scheme) => !/^(javascript|data)$/.test(scheme)),
  );
  return anyScheme;
}

// Made once, at the first call: it takes fast-check milliseconds to make, and every return address asks for it.
let anyScheme: fc.Arbitrary<string> | undefined;

function segments(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('', 'done', '{order_token}', 'vilkår', '%2F', '支付', '🧡', '..', 'a|b"c<d>'),
    texts().map((text) => text.replace(/\s/g, '-')),
  );
}

function part(mark: string): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constant(''), weight: 2 },
    { arbitrary: segments().map((segment) => `${mark}s={session_id}&${segment}`), weight: 1 },
  );
}
