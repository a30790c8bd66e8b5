import { Node, type SourceFile } from 'ts-morph';
import type { ApiItem, ApiKind, ApiVariant } from './api-model.ts';
import { commentOf } from './comment-of.ts';
import { declare, type ExportContext } from './declare.ts';
import { namesOfBases, readMembers } from './read-members.ts';

/** Reads one export out of everything that is declared under its name. */
export function readItem(name: string, nodes: readonly Node[], context: ExportContext): ApiItem {
  // A schema and its type share a name: what it does is told before what it is.
  const sorted = nodes.toSorted((a, b) => Number(isValue(b)) - Number(isValue(a)));
  const [comment = commentOf(undefined), ...more] = sorted.map(commentOf);
  return {
    name,
    kind: kindOf(sorted, context),
    comment: { ...comment, text: [comment, ...more].map(({ text }) => text).join('\n\n') },
    declaration: sorted.map((node) => declare(node, context)).join('\n\n'),
    members: sorted.flatMap((node) => readMembers(node, context.file)),
    bases: sorted.flatMap((node) => namesOfBases(node, context.file)),
    variants: sorted.flatMap((node) => readVariants(node, context.file)),
  };
}

const isValue = (node: Node): boolean => Node.isVariableDeclaration(node);

function kindOf(nodes: readonly Node[], { isTypeOnly }: ExportContext): ApiKind {
  if (isTypeOnly) return 'type';
  if (nodes.some(Node.isFunctionDeclaration)) return 'function';
  if (nodes.some(Node.isClassDeclaration)) return 'class';
  const value = nodes.find(Node.isVariableDeclaration);
  if (!value) return 'type';
  return /ZodMini/.test(value.getTypeNode()?.getText() ?? '') ? 'schema' : 'value';
}

/** The parts of a union that have no name of their own at the entry. */
function readVariants(node: Node, file: SourceFile): readonly ApiVariant[] {
  if (!Node.isTypeAliasDeclaration(node) || !node.getType().isUnion()) return [];
  const exported = new Set([...file.getExportedDeclarations().values()].flat());
  const parts = node
    .getType()
    .getUnionTypes()
    .map((type) => type.getSymbol()?.getDeclarations()[0]);
  const isTold = parts.every((part) => Node.isInterfaceDeclaration(part) && !exported.has(part));
  if (!isTold) return [];
  return parts.filter(Node.isInterfaceDeclaration).map((part) => {
    const [kind, ...members] = readMembers(part, file);
    return { name: `${kind?.name}: ${kind?.type}`, comment: commentOf(part), members };
  });
}
