/** What a change of a public API means to those who use the package. */
export interface ApiChange {
  /** The declaration or the part of a document that changed. */
  readonly name: string;
  readonly effect: 'added' | 'breaking';
  /** One line for a reviewer: `CallOptions.signal was removed`. */
  readonly what: string;
}

export function added(name: string, where: string): ApiChange {
  return { name, effect: 'added', what: `${where} was added` };
}

export function breaking(name: string, what: string): ApiChange {
  return { name, effect: 'breaking', what };
}
