/** Names an error for a warning: a message of a database may hold what was to be stored. */
export function nameError(error: unknown): string {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name ?? 'Error');
}
