import type { Authorization } from '@orders/auth';

/** Takes a credential out of a text, in every encoding a service may echo it in. */
export type Scrub = (text: string) => string;

const scrubbers = new WeakMap<Authorization, Scrub>();

/** Makes the scrubber of a credential, once. */
export function scrubberOf(authorization: Authorization): Scrub {
  const known = scrubbers.get(authorization);
  if (known) return known;
  const needles = encodings(authorization.reveal());
  const scrub: Scrub = (text) => {
    let clean = text;
    for (const needle of needles) if (clean.includes(needle)) clean = clean.replaceAll(needle, '[secret]');
    return clean;
  };
  scrubbers.set(authorization, scrub);
  return scrub;
}

/** The header's value, its parts, and the key itself, as a service may write them; longest first. */
function encodings(value: string): string[] {
  const encoded = value.slice(value.indexOf(' ') + 1);
  const key = value.startsWith('Basic ')
    ? Buffer.from(encoded, 'base64').toString('utf8').slice(0, -1)
    : encoded;
  const needles = new Set<string>();
  for (const plain of [value, encoded, encoded.replace(/=+$/, ''), key, `${key}:`]) {
    const bytes = Buffer.from(plain);
    const forms = [
      plain,
      bytes.toString('latin1'),
      bytes.toString('base64'),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      encodeURIComponent(plain),
      encodeURIComponent(plain).replaceAll('%20', '+'),
      JSON.stringify(plain).slice(1, -1),
      JSON.stringify(plain).slice(1, -1).replaceAll('/', '\\/'),
      escapeNonAscii(plain),
      escapeHtml(plain),
    ];
    for (const form of forms) needles.add(form);
  }
  return [...needles].sort((a, b) => b.length - a.length);
}

function escapeNonAscii(text: string): string {
  const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\0-\x7f]/g, escapeUnit);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
