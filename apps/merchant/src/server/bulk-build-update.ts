import type { Explanation } from '@orders/schema';
import { readNumber } from '../contract/read-number.ts';
import type { Column, FieldPlace } from './bulk-column.ts';
import { parseJson } from './bulk-read-ndjson.ts';

/** What the cells of one row say together. */
export interface BuiltUpdate {
  readonly token: string;
  readonly update: unknown;
  /** Why the cells make no update. */
  readonly issues: readonly Explanation[];
}

type Branch = Map<string | number, Branch | Leaf>;
interface Leaf {
  readonly value: unknown;
}

/** Puts the cells of a row together; empty ones are left out. */
export function buildUpdate(columns: readonly Column[], cells: readonly string[]): BuiltUpdate {
  const root: Branch = new Map();
  const issues: Explanation[] = [];
  let token = '';
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    if (column.kind === 'token') {
      if (token !== '') issues.push(givenTwice('token'));
      token = cell;
    } else if (column.kind === 'none') issues.push(noPath(column.name));
    else issues.push(...place(root, column, cell));
  }
  const update = grow(root, '', issues);
  return { token, update, issues };
}

function place(root: Branch, column: Column & { kind: 'field' | 'update' }, cell: string): Explanation[] {
  const value = readCell(column, cell);
  if (value === undefined) return [notJson(column.name)];
  if (column.kind === 'field') return put(root, column.place, value) ? [] : [givenTwice(column.name)];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [notJson(column.name)];
  return Object.entries(value)
    .filter(([name, field]) => !put(root, [name], field))
    .map(([name]) => givenTwice(name));
}

/** What a cell says: `undefined` when it should be JSON and is not. */
function readCell(column: Column & { kind: 'field' | 'update' }, cell: string): unknown {
  if (column.kind === 'update' || column.reads === 'json') return parseJson(cell);
  if (column.reads === 'number') return readNumber(cell);
  // Spreadsheets write them in capitals.
  if (column.reads === 'boolean' && /^(true|false)$/i.test(cell)) return cell.toLowerCase() === 'true';
  return cell;
}

/** Puts a value in its place; false when another stands there or in the way. */
function put(root: Branch, path: FieldPlace, value: unknown): boolean {
  let branch = root;
  for (const key of path.slice(0, -1)) {
    const next = branch.get(key) ?? new Map();
    if (!(next instanceof Map)) return false;
    branch.set(key, next);
    branch = next;
  }
  const last = path.at(-1) as string | number;
  if (branch.has(last)) return false;
  branch.set(last, { value });
  return true;
}

/** Makes an object, or a list, of a branch. */
function grow(branch: Branch, path: string, issues: Explanation[]): unknown {
  const keys = [...branch.keys()];
  const valueAt = (key: string | number): unknown => {
    const child = branch.get(key);
    const childPath = typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    return child instanceof Map ? grow(child, childPath, issues) : child?.value;
  };
  // Unlike an assignment, this gives a field named `__proto__` no meaning.
  if (keys.every((key) => typeof key === 'string'))
    return Object.fromEntries(keys.map((key) => [key, valueAt(key)]));
  if (keys.some((key) => typeof key === 'string')) {
    issues.push(mixed(path));
    return undefined;
  }
  const places = keys.map(Number).sort((a, b) => a - b);
  const gap = places.findIndex((place, index) => place !== index);
  if (gap !== -1) issues.push(missing(`${path}[${gap}]`, `${path}[${places[gap]}]`));
  return places.map(valueAt);
}

function noPath(name: string): Explanation {
  return {
    path: name,
    code: 'bad_column',
    message: name === '' ? 'This column has no name' : 'The name of this column is no path of an update',
    hint: 'Name it as issues do, such as order_id or cart.items[0].sku, or leave its cells empty.',
  };
}

function notJson(path: string): Explanation {
  return {
    path,
    code: 'not_json',
    message: path === 'update' ? 'Expected a JSON object' : 'Expected JSON',
    hint: 'Write it as {"items": []}; a spreadsheet doubles its quotes by itself.',
  };
}

function givenTwice(path: string): Explanation {
  return {
    path,
    code: 'given_twice',
    message: 'Another column gives this field, or a part of it, as well',
    hint: 'Keep one of them and leave the other cell empty.',
  };
}

function missing(path: string, next: string): Explanation {
  return {
    path,
    code: 'gap',
    message: `This one is empty, and ${next} is not`,
    hint: 'Fill the places of a list from 0 on, without a gap.',
  };
}

function mixed(path: string): Explanation {
  return {
    path,
    code: 'given_twice',
    message: 'One column makes this a list, and another an object',
    hint: 'Use names or places, not both.',
  };
}
