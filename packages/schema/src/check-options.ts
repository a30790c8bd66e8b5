import { isMisspelling, normalizeName } from './spelling.ts';

/**
 * Refuses options with unknown names, so that a misspelled one is not ignored. The message holds names only, never a
 * value: it may be a key. Symbols are not looked at.
 *
 * @param where What the message starts with: the function, such as `createOrdersClient`, or
 * `createOrdersClient: retry` for nested options.
 * @param options The options as given; `undefined` and `null` hold none.
 * @param known The names of all options.
 * @param advise What to write for a name that is not known, or, with the name `''`, for `options` that are no object.
 * @default the known name that is spelled alike, or all
 * @throws TypeError when `options` is no plain object (a signal or a list, for example), or has an unknown name, even one
 * with the value `undefined`. The message suggests a known name that is spelled alike, or lists all.
 */
export function checkOptions(
  where: string,
  options: unknown,
  known: readonly string[],
  advise: (name: string, value: unknown) => string | undefined = () => undefined,
): void {
  if (options === undefined || options === null) return;
  const all = `Known: ${known.join(', ')}.`;
  // A signal, headers or a promise given by mistake has a tag of its own.
  if ({}.toString.call(options) !== '[object Object]')
    throw new TypeError(`${where}: expected an object of options. ${advise('', options) ?? all}`);
  for (const [name, value] of Object.entries(options)) {
    if (known.includes(name)) continue;
    const meant = findMeant(name, known);
    const advice = advise(name, value) ?? (meant === undefined ? all : `Did you mean "${meant}"?`);
    throw new TypeError(`${where}: unknown option ${JSON.stringify(name)}. ${advice}`);
  }
}

/** The known name that is very likely meant: spelled alike, or the only one that begins like it. */
function findMeant(name: string, known: readonly string[]): string | undefined {
  const written = normalizeName(name);
  const options = known.map((option) => ({ option, meant: normalizeName(option) }));
  const begins = options.filter(({ meant }) => beginsAlike(written, meant));
  const found =
    options.find(({ meant }) => isMisspelling(written, meant, 4) || stemOf(written) === stemOf(meant)) ??
    (begins.length === 1 ? begins[0] : undefined);
  return found?.option;
}

/** `max` may be short for `maxConnections`, and `totalMs` is `total`; a value in seconds is none in milliseconds. */
const beginsAlike = (written: string, meant: string): boolean =>
  (written.length > 2 && meant.startsWith(written)) || written === `${meant}ms`;

/** A name without the ending of its plural. */
const stemOf = (name: string): string => name.replace(/(ies|[sy])$/, '');
