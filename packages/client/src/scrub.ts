import type { Authorization } from '@orders/auth';

/** Takes a credential out of a text, in every encoding a service may echo it in. */
export type Scrub = (text: string) => string;

const scrubbers = new WeakMap<Authorization, Scrub>();

/** Makes the scrubber of a credential, once. */
export function scrubberOf(authorization: Authorization): Scrub {
  const known = scrubbers.get(authorization);
  if (known) return known;
  const needles = encodings(authorization.reveal());
  // A text without the shortest forms holds none of those they are part of, and most texts hold none.
  const shortest = needles.filter(
    (needle) => !needles.some((other) => other !== needle && needle.includes(other)),
  );
  const scrub: Scrub = (text) => {
    if (!shortest.some((needle) => text.includes(needle))) return text;
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
  const key = value.startsWith('Basic ') ? utf8FromBase64(encoded).slice(0, -1) : encoded;
  const needles = [value, encoded, key, `${key}:`].flatMap(writings);
  return [...new Set(needles)].sort((a, b) => b.length - a.length);
}

/** One text in every way that a service may write it. */
function writings(plain: string): string[] {
  const bytes = new TextEncoder().encode(plain);
  const latin1 = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const unpadded = btoa(latin1).replace(/=+$/, '');
  const json = JSON.stringify(plain).slice(1, -1);
  const percent = encodeURIComponent(plain);
  return [
    plain,
    plain.replace(/=+$/, ''),
    latin1,
    btoa(latin1),
    unpadded,
    unpadded.replaceAll('+', '-').replaceAll('/', '_'),
    hex,
    hex.toUpperCase(),
    percent,
    percent.replaceAll('%20', '+'),
    percent.toLowerCase(),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ];
}

function utf8FromBase64(encoded: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), (unit) => unit.charCodeAt(0)));
}
