import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

/** Called with the place of an `await`, such as `outbox/src/turn.ts:171:5:await`, and what it awaits. */
export type Hold = <T>(site: string, awaited: T | PromiseLike<T>) => Promise<T>;

/**
 * Makes every `await`, and every `then`, of the modules loaded from now on in these folders go through `hold`. Returns
 * their places, which become more as modules are loaded.
 */
export function holdAwaits(folders: readonly URL[], hold: Hold): readonly string[] {
  const sites: string[] = [];
  (globalThis as { __hold?: Hold }).__hold = hold;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!folders.some(({ href }) => url.startsWith(href)) || !loaded.source) return loaded;
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: rewrite(fileURLToPath(url), source, sites) };
    },
  });
  return sites;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function rewrite(file: string, source: string, sites: string[]): string {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const name = file.split(sep).slice(-3).join('/');
  const hold = ({ start, end }: Range, kind = 'await'): void => {
    const lines = source.slice(0, start).split('\n');
    const site = `${name}:${lines.length}:${lines.at(-1)?.length}:${kind}`;
    sites.push(site);
    insertions.push({ at: start, text: `globalThis.__hold('${site}', (` }, { at: end, text: '))' });
  };
  const refuse = (): void => {
    throw new Error(`${file} has an await in a loop or a declaration, which must be held here, too.`);
  };
  new Visitor({
    AwaitExpression: ({ argument }) => hold(argument),
    CallExpression({ callee }) {
      if (
        callee.type === 'MemberExpression' &&
        !callee.computed &&
        'name' in callee.property &&
        callee.property.name === 'then'
      )
        hold(callee.object, 'then');
    },
    ForOfStatement: (node) => node.await && refuse(),
    VariableDeclaration: ({ kind }) => kind === 'await using' && refuse(),
  }).visit(program);
  let rewritten = '';
  let from = 0;
  // A place where two begin stays in the order of the visit: the outer one first.
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at)) {
    rewritten += source.slice(from, at) + text;
    from = at;
  }
  return rewritten + source.slice(from);
}
