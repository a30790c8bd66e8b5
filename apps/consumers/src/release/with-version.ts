/** The source of `version.ts` with another version; everything else stays as it is. */
export function withVersion(source: string, version: string): string {
  const line = /^export const version = '[^']*';$/m;
  if (!line.test(source)) throw new Error('version.ts has no line that exports a version.');
  return source.replace(line, `export const version = '${version}';`);
}
