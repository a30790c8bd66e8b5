/** Reads the declarations of an API report. */
import { parseSync } from 'oxc-parser';

/** A node of the syntax tree, without positions. */
export type Node = Readonly<Record<string, unknown>> & { readonly type: string };

/** What a report declares under one name: overloads are several nodes. */
export interface Declaration {
  readonly name: string;
  readonly exported: boolean;
  /** Whether only the package itself makes such objects (TSDoc's `@sealed`). */
  readonly sealed: boolean;
  readonly nodes: readonly Node[];
}

export interface Declarations {
  /** By kind and name, since a type and a value may share a name. */
  readonly byKey: ReadonlyMap<string, Declaration>;
  /** What each imported name stands for: `undici#Agent`. */
  readonly imports: ReadonlyMap<string, string>;
}

/** @throws Error when the text is not TypeScript. */
export function readDeclarations(code: string): Declarations {
  const { program, errors, comments } = parseSync('report.d.ts', code);
  const [error] = errors;
  if (error) throw new Error(`the report cannot be parsed: ${error.message}`);
  const statements = program.body.map((statement, index) => {
    const from = program.body[index - 1]?.end ?? 0;
    const above = comments.filter((comment) => comment.start >= from && comment.end <= statement.start);
    return { node: withoutPositions(statement), sealed: above.some(({ value }) => /@sealed\b/.test(value)) };
  });
  const nodes = statements.map(({ node }) => node);
  const imports = new Map(nodes.flatMap(readImports));
  const renamed = new Map(nodes.flatMap(readExportList));
  const byKey = new Map<string, Declaration>();
  for (const { node, sealed } of statements) {
    const declared = isNode(node['declaration']) ? node['declaration'] : node;
    for (const local of namesOf(declared)) {
      const name = renamed.get(local) ?? local;
      const key = `${declared.type} ${name}`;
      const earlier = byKey.get(key);
      const exported = declared !== node || renamed.has(local);
      byKey.set(key, { name, exported, sealed, nodes: [...(earlier?.nodes ?? []), declared] });
    }
  }
  for (const [local, name] of renamed) {
    const from = imports.get(local);
    if (from === undefined) continue;
    byKey.set(`import ${name}`, { name, exported: true, sealed: false, nodes: [{ type: 'import', from }] });
  }
  return { byKey, imports };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The names that a node mentions, its own and those of its members among them. */
export function namesIn(node: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  JSON.stringify(node, (key, value) => {
    if (key === 'name' && typeof value === 'string') names.add(value);
    return value;
  });
  return names;
}

/** Quotes and positions are no part of what is promised. */
function withoutPositions(node: object): Node {
  const positions = ['start', 'end', 'range', 'raw'];
  return JSON.parse(JSON.stringify(node, (key, value) => (positions.includes(key) ? undefined : value)));
}

function namesOf(node: Node): readonly string[] {
  if (node.type === 'ExportAllDeclaration' || node.type === 'ExportDefaultDeclaration') {
    return [JSON.stringify(node)];
  }
  const declarators = Array.isArray(node['declarations']) ? node['declarations'] : [node];
  return declarators.flatMap(({ id }) => (typeof id?.name === 'string' ? [id.name] : []));
}

function readImports(node: Node): [string, string][] {
  if (node.type !== 'ImportDeclaration') return [];
  const { source, specifiers } = node as unknown as ImportNode;
  return specifiers.map(({ local, imported, type }) => [
    local.name,
    `${source.value}#${imported?.name ?? imported?.value ?? (type === 'ImportDefaultSpecifier' ? 'default' : '*')}`,
  ]);
}

interface ImportNode {
  readonly source: { readonly value: string };
  readonly specifiers: readonly {
    readonly type: string;
    readonly local: { readonly name: string };
    readonly imported?: { readonly name?: string; readonly value?: string };
  }[];
}

/** `export { A as B }`, from the local name to the one that users see. */
function readExportList(node: Node): [string, string][] {
  if (node.type !== 'ExportNamedDeclaration') return [];
  const { specifiers } = node as unknown as ExportListNode;
  return specifiers.map(({ local, exported }) => [local.name, exported.name ?? exported.value ?? '']);
}

interface ExportListNode {
  readonly specifiers: readonly {
    readonly local: { readonly name: string };
    readonly exported: { readonly name?: string; readonly value?: string };
  }[];
}
