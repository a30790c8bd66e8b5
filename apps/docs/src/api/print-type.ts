import { type SourceFile, type Type, TypeFormatFlags } from 'ts-morph';

/** Prints a type as a file calls it that exports its parts. */
export function printType(type: Type, file: SourceFile): string {
  return nameParts(type, file)
    .replaceAll(/import\("[^"]*"\)\./g, '')
    .replaceAll(/\s+/g, ' ');
}

/** A type that nobody named may be equal to one that the entry exports: then its name tells more than its fields. */
function nameParts(type: Type, file: SourceFile): string {
  const parts = type.isUnion() ? type.getUnionTypes().filter((part) => !part.isUndefined()) : [type];
  const [only] = parts;
  if (parts.length === 1 && only) {
    const element = only.getArrayElementType();
    if (element) return `${nameParts(element, file)}[]`;
    const name = only.isObject() && !only.isInterface() ? exportedEqual(only, file) : undefined;
    if (name !== undefined) return name;
  }
  return type.getText(
    file,
    TypeFormatFlags.NoTruncation | TypeFormatFlags.UseSingleQuotesForStringLiteralType,
  );
}

function exportedEqual(type: Type, file: SourceFile): string | undefined {
  const fields = namesOf(type);
  if (fields === '') return undefined;
  for (const [name, nodes] of file.getExportedDeclarations()) {
    const isEqual = nodes.some((node) => node.getType().isInterface() && namesOf(node.getType()) === fields);
    if (isEqual) return name;
  }
  return undefined;
}

function namesOf(type: Type): string {
  return type
    .getProperties()
    .map((property) => property.getName())
    .sort()
    .join();
}
