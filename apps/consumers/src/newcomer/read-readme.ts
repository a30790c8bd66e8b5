/** The code of the first block in a language that a README shows, where it contains the words. */
export function blockOf(readme: string, language: string, words = ''): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, tongue, code]) => tongue === language && code?.includes(words));
  if (found?.[2] === undefined) throw new Error(`The README shows no ${language} with ${words || 'code'}.`);
  return found[2];
}

/** The words after the program of a line such as `pnpm add @orders/client`. */
export function argumentsOf(line: string): readonly string[] {
  return line.trim().split(/\s+/).slice(1);
}
