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
    const [meant = ''] = known.toSorted((a, b) => likeness(name, b) - likeness(name, a));
    const advice = advise(name, value) ?? (likeness(name, meant) >= 0.5 ? `Did you mean "${meant}"?` : all);
    throw new TypeError(`${where}: unknown option ${JSON.stringify(name)}. ${advice}`);
  }
}

/** How much of two names is the same, from 0 to 1, whatever their case; 0 if the value would have another unit. */
function likeness(name: string, option: string): number {
  const written = name.toLowerCase();
  const known = option.toLowerCase();
  if (!known.includes(/second|minute|hour|day/.exec(written)?.[0] ?? '')) return 0;
  let start = 0;
  while (written[start] && written[start] === known[start]) start++;
  // `max` may be short for `maxConnections`.
  if (start > 2 && start === written.length) return 1;
  let end = 0;
  while (end < Math.min(written.length, known.length) - start && written.at(-1 - end) === known.at(-1 - end))
    end++;
  return (start + end) / Math.max(written.length, known.length);
}
