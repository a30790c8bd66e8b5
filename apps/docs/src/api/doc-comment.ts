/** A doc comment in its parts; each part is Markdown. */
export interface DocComment {
  /** What stands before the first tag. */
  readonly text: string;
  /** What holds when an option is left out: code, or words. */
  readonly defaultValue: string | undefined;
  /** When something is thrown, and what. */
  readonly throws: readonly string[];
  /** Code that shows the use, without its fence. */
  readonly examples: readonly string[];
  /** Parameters by name. */
  readonly parameters: readonly { readonly name: string; readonly text: string }[];
}

const tags = /(?:^|(?<=\s))@(default|throws|example|param|public)(?=\s|$)/;

/** Reads the text of a doc comment, without its stars. A tag may stand anywhere outside of code, not only at a line's start. */
export function readDocComment(source: string): DocComment {
  const [text = '', ...rest] = source.split(tags);
  const found: [tag: string, body: string][] = [];
  for (let at = 0; at < rest.length; at += 2) found.push([rest[at] ?? '', (rest[at + 1] ?? '').trim()]);
  const bodiesOf = (tag: string): string[] => found.filter(([name]) => name === tag).map(([, body]) => body);
  return {
    text: unwrap(text),
    defaultValue: bodiesOf('default').map(unwrap)[0],
    throws: bodiesOf('throws').map((body) => unwrap(body.replace(/^\{(\w+)\}/, '$1:'))),
    examples: bodiesOf('example').map((body) => body.replace(/^```ts\n|\n```$/g, '')),
    parameters: bodiesOf('param').map((body) => {
      const [name = '', ...words] = body.split(/\s+/);
      return { name, text: words.join(' ') };
    }),
  };
}

/** Joins the lines of each paragraph; lists keep theirs. */
function unwrap(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\n(?!\s*[-*] )\s*/g, ' '))
    .join('\n\n');
}
