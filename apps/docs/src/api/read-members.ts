import { type InterfaceDeclaration, Node, type SourceFile, type Symbol as TypeSymbol } from 'ts-morph';
import type { ApiMember } from './api-model.ts';
import { commentOf } from './comment-of.ts';
import { printType } from './print-type.ts';

/** Reads the members that a type promises, but for those of a base that the entry tells by itself. */
export function readMembers(node: Node, file: SourceFile): readonly ApiMember[] {
  if (Node.isInterfaceDeclaration(node)) {
    const told = new Set(toldBases(node, file).flatMap((base) => base.getType().getProperties()));
    const properties = node.getType().getProperties();
    return properties
      .filter((symbol) => !told.has(symbol))
      .flatMap((symbol) => readProperty(symbol, node, file));
  }
  if (!Node.isClassDeclaration(node)) return [];
  return node
    .getInstanceMembers()
    .filter((member) => !Node.isPrivateIdentifier(member.getNameNode()) && !member.getName().startsWith('['))
    .flatMap((member) => readNode(member, { file, isOptional: false }));
}

/** The names of the bases whose members are not told again. */
export function namesOfBases(node: Node, file: SourceFile): readonly string[] {
  return Node.isInterfaceDeclaration(node) ? toldBases(node, file).map((base) => base.getName()) : [];
}

function toldBases(node: InterfaceDeclaration, file: SourceFile): readonly InterfaceDeclaration[] {
  const exported = new Set([...file.getExportedDeclarations().values()].flat());
  return node
    .getBaseDeclarations()
    .filter(Node.isInterfaceDeclaration)
    .filter((base) => exported.has(base));
}

function readProperty(symbol: TypeSymbol, owner: Node, file: SourceFile): readonly ApiMember[] {
  const [node] = symbol.getDeclarations();
  // What the language's own library promises is known from there.
  if (!node || node.getSourceFile().isDeclarationFile()) return [];
  const isOptional = symbol.isOptional();
  const known = readNode(node, { file, isOptional });
  if (known.length > 0) return known;
  const type = printType(symbol.getTypeAtLocation(owner), file);
  return [
    {
      name: symbol.getName(),
      isOptional,
      isMethod: false,
      type: isOptional ? type.replace(/ \| undefined$/, '') : type,
      comment: commentOf(node),
    },
  ];
}

interface MemberContext {
  readonly file: SourceFile;
  readonly isOptional: boolean;
  /** What stands before the name, for a member inside another. */
  readonly path?: string;
}

/** Reads a member by its own text, where it has one; a member that a type computed has none. */
function readNode(node: Node, { file, isOptional, path = '' }: MemberContext): readonly ApiMember[] {
  const comment = commentOf(node);
  if (Node.isMethodSignature(node) || Node.isMethodDeclaration(node)) {
    const name = node.getName();
    const body = Node.isMethodDeclaration(node) ? node.getBody() : undefined;
    const text = node.getText().slice(0, body ? body.getStart() - node.getStart() : undefined);
    const type = text.replace(/^(override |async )*/, '').slice(name.length);
    return [{ name, isOptional, isMethod: true, type: dedent(type.trim().replace(/;$/, '')), comment }];
  }
  if (Node.isGetAccessorDeclaration(node)) {
    const type = node.getReturnTypeNode()?.getText() ?? printType(node.getReturnType(), file);
    return [{ name: node.getName(), isOptional, isMethod: false, type, comment }];
  }
  if (!Node.isPropertySignature(node) && !Node.isPropertyDeclaration(node)) return [];
  const name = path + node.getName();
  const typeNode = node.getTypeNode();
  const type = onOneLine(typeNode?.getText() ?? printType(node.getType(), file));
  const inner = typeNode?.getDescendants().filter(Node.isPropertySignature) ?? [];
  return [
    { name, isOptional, isMethod: false, type, comment },
    ...inner
      .filter((one) => commentOf(one).text !== '')
      .flatMap((one) => readNode(one, { file, isOptional: one.hasQuestionToken(), path: `${name}.` })),
  ];
}

function onOneLine(type: string): string {
  return type
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/; }/g, ' }');
}

/** Takes the indentation of the interface off the lines that follow the first. */
function dedent(text: string): string {
  return text.replaceAll(/\n {2}/g, '\n');
}
