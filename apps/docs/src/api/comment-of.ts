import { Node } from 'ts-morph';
import { type DocComment, readDocComment } from './doc-comment.ts';

/** The doc comment that stands before a declaration. */
export function commentOf(node: Node | undefined): DocComment {
  const commented = Node.isVariableDeclaration(node) ? node.getVariableStatement() : node;
  const [, text = ''] =
    commented
      ?.getLeadingCommentRanges()
      .map((range) => /^\/\*\*(.*)\*\/$/s.exec(range.getText()))
      .findLast((match) => match !== null) ?? [];
  return readDocComment(text.replaceAll(/^[ \t]*\*(?!\/) ?/gm, ''));
}
