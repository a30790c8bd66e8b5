/**
 * Refuses options with unknown names, so that a misspelled one is not ignored. The message holds names only, never a
 * value: it may be a key. Symbols are not looked at.
 *
 * @param where What the message starts with: the function, such as `createOrdersClient`, or
 * `createOrdersClient: retry` for nested options.
 * @param options The options as given; `undefined` and `null` hold none.
 * @param known The names of all options.
 * @throws TypeError when `options` is no plain object (a signal or a list, for example), or has an unknown name, even one
 * with the value `undefined`. The message suggests a known name that starts alike, or lists all.
 */
export function checkOptions(where: string, options: unknown, known: readonly string[]): void {
  if (options === undefined || options === null) return;
  // A signal, headers or a promise given by mistake has a tag of its own.
  if ({}.toString.call(options) !== '[object Object]')
    throw new TypeError(`${where}: expected an object of options.`);
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    let meant: string | undefined;
    for (let start = name.toLowerCase(); start[2] && !meant; start = start.slice(0, -1)) {
      meant = known.find((option) => option.toLowerCase().startsWith(start));
    }
    const advice = meant ? `Did you mean "${meant}"?` : `Known: ${known.join(', ')}.`;
    throw new TypeError(`${where}: unknown option ${JSON.stringify(name)}. ${advice}`);
  }
}
