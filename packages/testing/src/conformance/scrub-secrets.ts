/** Takes keys and the order token out of a text, in every encoding a service may echo them in. */
export type ScrubSecrets = (text: string) => string;

export interface Secrets {
  readonly keys: readonly string[];
  /** An order token tells which order it is, and a report is pasted into tickets. */
  readonly orderToken: string | undefined;
}

export function createScrubber({ keys, orderToken }: Secrets): ScrubSecrets {
  const forms = new Map<string, string>();
  if (orderToken !== undefined) for (const form of writings(orderToken)) forms.set(form, '[token]');
  for (const key of keys) {
    for (const sent of [key, `${key}:`, `:${key}`])
      for (const form of writings(sent)) forms.set(form, '[key]');
  }
  // A form may be part of a longer one, of which it would leave a rest.
  const longestFirst = [...forms].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const [form, label] of longestFirst) clean = clean.replaceAll(form, label);
    return clean;
  };
}

/** One text in the ways in which services write what they were sent. */
function writings(plain: string): readonly string[] {
  const bytes = Buffer.from(plain, 'utf8');
  const base64 = bytes.toString('base64');
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(plain);
  const strict = percent.replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ '': plain }).toString().slice(1);
  const json = JSON.stringify(plain).slice(1, -1);
  const html = plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = html.replaceAll('"', '&quot;');
  return [
    plain,
    // A header's bytes are read one by one.
    bytes.toString('latin1'),
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    hex,
    hex.toUpperCase(),
    ...[percent, strict, percent.replaceAll('%20', '+'), form].flatMap((one) => [
      one,
      one.replace(/%../g, (code) => code.toLowerCase()),
    ]),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    html,
    quoted,
    quoted.replaceAll("'", '&#39;'),
    quoted.replaceAll("'", '&#x27;'),
  ];
}
