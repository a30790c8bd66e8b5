/** Names of other SDKs for an option of this client, and its name here. */
const familiarNames: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(url|host|endpoint|prefix(url)?)$/i, 'baseUrl'],
  [/^(secret|private|access)_?key$/i, 'apiKey'],
  [/^(auth.*|.*token)$/i, 'credentials'],
  [/agent$/i, 'dispatcher'],
  [/^(max(total)?sockets|connections|poolSize)$/i, 'maxConnections'],
  [/^max(content|body)length$/i, 'maxResponseBytes'],
  [/^validateStatus$/, 'classifyResponse'],
  [/^(default|extra)headers$/i, 'headers'],
];

/** The options that hold others, with the names of these. */
export const optionGroups = {
  retry: ['maxAttempts', 'resendUnknown'],
  timeouts: ['attempt', 'total', 'connect', 'idle'],
  rateLimit: ['requestsPerSecond', 'burst'],
  tls: ['ca', 'cert', 'key', 'servername'],
} as const;

/**
 * What to write for an option under a name or with a value that other SDKs use, or at a wrong level.
 *
 * @param path The name as written, after the option that holds it and a point: `retry.limit`; `retry.` for what was
 * passed as `retry`.
 * @param known The names that may be written there.
 */
export function adviseOption(path: string, value: unknown, known: readonly string[]): string | undefined {
  // No other value is shown: it may be a key.
  const shown = typeof value === 'number' || typeof value === 'boolean' ? value : '…';
  const isShown = shown !== '…';
  if (/retries$|^retry(count|limit)$|^retry\.(limit|count)$/i.test(path) || (path === 'retry.' && isShown)) {
    const retries = value === false ? 0 : value;
    const isCount = typeof retries === 'number' && Number.isSafeInteger(retries) && retries >= 0;
    return `Write retry: { maxAttempts: ${isCount ? retries + 1 : '…'} }, which counts the first attempt.`;
  }
  if (/^(request)?timeout(ms)?$|^timeouts\.request$/i.test(path) || (path === 'timeouts.' && isShown))
    return `Write timeouts: { total: ${shown} } for the call, or { attempt: ${shown} } for each attempt.`;
  if (path === 'rateLimit.' && isShown) return `Write rateLimit: { requestsPerSecond: ${shown} }.`;
  for (const [group, names] of Object.entries<readonly string[]>(optionGroups))
    if (known.includes(group) && names.includes(path)) return `Write ${group}: { ${path}: ${shown} }.`;
  const [, name] = familiarNames.find(([pattern]) => pattern.test(path)) ?? [];
  return name && known.includes(name) ? `Did you mean "${name}"?` : undefined;
}
