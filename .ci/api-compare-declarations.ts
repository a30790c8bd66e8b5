/**
 * Tells what the change from one report of declarations to another means. A cautious rule rather than a clever one:
 * new names, new optional members and new optional last parameters are additions, all else that differs breaks.
 */
import { isDeepStrictEqual } from 'node:util';
import { type ApiChange, added, breaking } from './api-change.ts';
import { type Declaration, isNode, type Node, readDeclarations } from './api-declarations.ts';

export function compareDeclarations(before: string, after: string): readonly ApiChange[] {
  const [old, now] = [readDeclarations(before), readDeclarations(after)];
  const changes: ApiChange[] = [];
  for (const [local, from] of old.imports) {
    const other = now.imports.get(local) ?? from;
    if (other !== from) changes.push(breaking(local, `${local} comes from ${other} instead of ${from}`));
  }
  for (const [key, declaration] of old.byKey) {
    const { name, exported } = declaration;
    const next = now.byKey.get(key);
    if (exported && !next?.exported) changes.push(breaking(name, `${name} was removed`));
    else if (next) changes.push(...compareOverloads(declaration, next));
  }
  for (const [key, { name, exported }] of now.byKey) {
    if (exported && !old.byKey.get(key)?.exported) changes.push(added(name, name));
  }
  return changes;
}

interface Place {
  readonly name: string;
  readonly where: string;
  /** Whether only the package itself makes such objects, so that new members are additions. */
  readonly sealed: boolean;
}

function compareOverloads(before: Declaration, after: Declaration): readonly ApiChange[] {
  const place = { name: before.name, where: before.name, sealed: before.sealed && after.sealed };
  return compareLists(before.nodes, after.nodes, place);
}

/** Overloads: the order matters, and a new one at the end is an addition. */
function compareLists(before: readonly Node[], after: readonly Node[], place: Place): readonly ApiChange[] {
  const { name, where } = place;
  if (before.length === 1 && after.length === 1) return compareNodes(before[0], after[0], place);
  const same = isDeepStrictEqual(before, after.slice(0, before.length));
  if (!same) return [breaking(name, `the overloads of ${where} were changed`)];
  return after.length > before.length ? [added(name, `an overload of ${where}`)] : [];
}

/** Kinds of syntax in which something can be added without harm; in any other, whatever differs breaks. */
const mayGrow = new Set([
  'TSInterfaceDeclaration',
  'TSInterfaceBody',
  'ClassDeclaration',
  'ClassBody',
  'TSTypeAliasDeclaration',
  'TSTypeLiteral',
  'TSPropertySignature',
  'PropertyDefinition',
  'TSMethodSignature',
  'MethodDefinition',
  'TSEmptyBodyFunctionExpression',
  'TSDeclareFunction',
  'VariableDeclaration',
  'VariableDeclarator',
  'Identifier',
  'TSTypeAnnotation',
  'TSIntersectionType',
  'TSTypeParameterInstantiation',
]);

const memberLists: Readonly<Record<string, string>> = {
  TSInterfaceBody: 'body',
  ClassBody: 'body',
  TSTypeLiteral: 'members',
};

const functions = ['TSMethodSignature', 'TSEmptyBodyFunctionExpression', 'TSDeclareFunction'];

function compareNodes(before: unknown, after: unknown, place: Place): readonly ApiChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const changed = [breaking(place.name, `${place.where} was changed`)];
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return changed;
    return before.flatMap((node, index) => compareNodes(node, after[index], place));
  }
  if (!isNode(before) || !isNode(after) || before.type !== after.type) return changed;
  if (!mayGrow.has(before.type) && !isZodContainer(before, after)) return changed;
  return Object.keys({ ...before, ...after }).flatMap((key) => {
    const [old, now] = [before[key], after[key]];
    if (key === memberLists[before.type]) return compareMembers(before, after, place);
    if (key === 'params' && functions.includes(before.type)) {
      return compareParameters(nodesOf(old), nodesOf(now), place);
    }
    return compareNodes(old, now, place);
  });
}

function compareMembers(before: Node, after: Node, place: Place): readonly ApiChange[] {
  const [old, now] = [Map.groupBy(membersOf(before), keyOf), Map.groupBy(membersOf(after), keyOf)];
  const placeOf = (member: Node | undefined) => ({ ...place, where: `${place.where}.${labelOf(member)}` });
  const kept = [...old].flatMap(([key, members]) => {
    const next = now.get(key);
    const there = placeOf(members[0]);
    // Deeper down, a literal type may be one that users write.
    if (next) return compareLists(members, next, { ...there, sealed: false });
    return [breaking(place.name, `${there.where} was removed`)];
  });
  const fresh = [...now].flatMap(([key, members]) => {
    if (old.has(key)) return [];
    const { where } = placeOf(members[0]);
    const harmless = place.sealed || members.every((member) => isHarmless(after.type, member));
    return [harmless ? added(place.name, where) : breaking(place.name, `${where} was added and is required`)];
  });
  return [...kept, ...fresh];
}

/** A new member breaks those who make such objects themselves, unless it may be left out or is inherited from a class. */
function isHarmless(kind: string, member: Node): boolean {
  if (member['optional'] === true) return true;
  if (kind === 'ClassBody') return !member.type.startsWith('TSAbstract') && member['kind'] !== 'constructor';
  const annotation = member['typeAnnotation'];
  return isNode(annotation) && zodName(annotation['typeAnnotation']) === 'ZodMiniOptional';
}

function compareParameters(
  before: readonly Node[],
  after: readonly Node[],
  place: Place,
): readonly ApiChange[] {
  const { name, where } = place;
  const fresh = after.slice(before.length);
  const required = fresh.some(
    (parameter) => parameter['optional'] !== true && parameter.type !== 'RestElement',
  );
  if (after.length < before.length || required)
    return [breaking(name, `the parameters of ${where} were changed`)];
  const changes = before.flatMap((parameter, index) => {
    const next = after[index];
    const alike = next && parameter['optional'] === next['optional'] && isRest(parameter) === isRest(next);
    // A parameter's own name is no part of the promise.
    return alike
      ? compareNodes(parameter['typeAnnotation'], next['typeAnnotation'], place)
      : [breaking(name, `the parameters of ${where} were changed`)];
  });
  return fresh.length > 0 ? [...changes, added(name, `a parameter of ${where}`)] : changes;
}

function isRest({ type }: Node): boolean {
  return type === 'RestElement';
}

/** In the type of a zod schema a field is optional by its own type. */
function isZodContainer(before: Node, after: Node): boolean {
  const name = zodName(before);
  return ['ZodMiniObject', 'ZodMiniOptional', 'ZodMiniArray'].includes(name ?? '') && name === zodName(after);
}

function zodName(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== 'TSTypeReference') return undefined;
  const { left, right } = node['typeName'] as { left?: { name?: string }; right?: { name?: string } };
  return left?.name === 'z' ? right?.name : undefined;
}

/** Overloads of a method share a key; a getter and a method of one name do not. */
function keyOf(member: Node): string {
  const kind = member['kind'] ?? member.type.replace('TSAbstract', '');
  return JSON.stringify([kind, member['static'] ?? false, member['key'] ?? member['parameters'] ?? null]);
}

function labelOf(member: Node | undefined): string {
  const { key } = (member ?? {}) as { key?: { name?: string; value?: string; property?: { name?: string } } };
  return key?.name ?? key?.value ?? (key?.property ? `[Symbol.${key.property.name}]` : '(signature)');
}

function membersOf(container: Node): readonly Node[] {
  return nodesOf(container[memberLists[container.type] ?? '']);
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
