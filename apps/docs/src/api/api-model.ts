import type { DocComment } from './doc-comment.ts';

/** What a package promises, read from its sources. */
export interface ApiPackage {
  /** Such as `@orders/client`. */
  readonly name: string;
  /** Such as `client`: the name of its page. */
  readonly slug: string;
  readonly description: string;
  readonly entries: readonly ApiEntry[];
}

/** One import path of a package. */
export interface ApiEntry {
  /** Such as `@orders/client/fetch`. */
  readonly specifier: string;
  /** What is told here, in the order of the entry's list. */
  readonly items: readonly ApiItem[];
  /** Names that are the same as in the package's first entry. */
  readonly sameNames: readonly string[];
  /** Names that come from another package, and from which. */
  readonly foreign: readonly { readonly name: string; readonly from: string }[];
}

/** A function, a class, a value with a type of its name, or a type. */
export type ApiKind = 'function' | 'class' | 'schema' | 'value' | 'type';

/** One export. */
export interface ApiItem {
  readonly name: string;
  readonly kind: ApiKind;
  readonly comment: DocComment;
  /** How it is declared, as TypeScript. */
  readonly declaration: string;
  readonly members: readonly ApiMember[];
  /** Names at the same entry whose members it has besides. */
  readonly bases: readonly string[];
  /** What it can be, where that has no names of its own. */
  readonly variants: readonly ApiVariant[];
}

/** One part of a union. */
export interface ApiVariant {
  /** The field that tells it from the others, such as `type: 'status'`. */
  readonly name: string;
  readonly comment: DocComment;
  readonly members: readonly ApiMember[];
}

/** A field, an option or a method of an export. */
export interface ApiMember {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isMethod: boolean;
  /** Its type, or of a method all that follows its name. */
  readonly type: string;
  readonly comment: DocComment;
}
