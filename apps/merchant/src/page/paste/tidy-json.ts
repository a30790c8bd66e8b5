import { createScanner } from 'jsonc-parser';

const indent = '  ';

/**
 * Sets JSON out over lines, two blanks a level. Every name, text and number stays as it is written, since reading a
 * number and writing it anew could change it. Text that is not JSON comes back as it was.
 */
export function tidyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const scanner = createScanner(text, true);
  let tidy = '';
  let depth = 0;
  let isEmpty = false;
  const newLine = () => `\n${indent.repeat(depth)}`;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const token = text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
    if (token === '}' || token === ']') {
      depth--;
      tidy += isEmpty ? token : newLine() + token;
      isEmpty = false;
      continue;
    }
    if (isEmpty) tidy += newLine();
    isEmpty = token === '{' || token === '[';
    if (isEmpty) depth++;
    tidy += token === ',' ? `,${newLine()}` : token === ':' ? ': ' : token;
  }
  return tidy;
}
