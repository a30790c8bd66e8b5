import {
  type ClassDeclaration,
  type FunctionDeclaration,
  type InterfaceDeclaration,
  Node,
  type SourceFile,
  SyntaxKind,
  type VariableDeclaration,
} from 'ts-morph';
import { printType } from './print-type.ts';

/** Where an export is listed, and how. */
export interface ExportContext {
  /** Whether it is exported as a type alone, so that nobody can construct or call it. */
  readonly isTypeOnly: boolean;
  /** The entry: types print as they are called there. */
  readonly file: SourceFile;
}

/** Tells a declaration as TypeScript, without its body and without the members that are told one by one. */
export function declare(node: Node, context: ExportContext): string {
  if (Node.isFunctionDeclaration(node)) return declareFunction(node);
  if (Node.isClassDeclaration(node)) return declareClass(node, context);
  if (Node.isVariableDeclaration(node)) return declareValue(node, context);
  if (Node.isTypeAliasDeclaration(node)) return plain(node.getText());
  return Node.isInterfaceDeclaration(node) ? declareInterface(node) : '';
}

function declareFunction(node: FunctionDeclaration): string {
  const signatures = node.getOverloads().length > 0 ? node.getOverloads() : [node];
  return signatures.map((signature) => plain(headOf(signature))).join('\n');
}

function declareClass(node: ClassDeclaration, { isTypeOnly }: ExportContext): string {
  const head = plain(headOf(node));
  // Whoever catches an error does not make one.
  const isMade = !isTypeOnly && node.getBaseTypes().length === 0 && !node.isAbstract();
  const constructors = isMade ? node.getConstructors().map((one) => `  ${headOf(one)};`) : [];
  return constructors.length > 0 ? `${head} {\n${constructors.join('\n')}\n}` : head;
}

function declareInterface(node: InterfaceDeclaration): string {
  // Index and call signatures have no name to be told by.
  const isNameless = node.getIndexSignatures().length + node.getCallSignatures().length > 0;
  if (isNameless) return plain(node.getText());
  // What a schema infers is told by its fields.
  return plain(headOf(node)).replace(/ extends z\.infer<.*/s, '');
}

function declareValue(node: VariableDeclaration, { file }: ExportContext): string {
  const type = node.getTypeNode()?.getText() ?? printType(node.getType(), file);
  return `const ${node.getName()}: ${type.replaceAll(/\bz\.(?=Zod)/g, '')}`;
}

/** The text of a declaration up to its body. */
function headOf(node: Node): string {
  const text = node.getText();
  const hasBraces = Node.isClassDeclaration(node) || Node.isInterfaceDeclaration(node);
  const body = hasBraces
    ? node.getFirstChildByKindOrThrow(SyntaxKind.OpenBraceToken)
    : Node.isBodied(node) || Node.isBodyable(node)
      ? node.getBody()
      : undefined;
  return body ? text.slice(0, body.getStart() - node.getStart()).trim() : text;
}

function plain(text: string): string {
  return text.replace(/^export (declare )?(async )?/, '').replace(/;$/, '');
}
