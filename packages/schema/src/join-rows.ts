import { isPlainObject } from './clone-json.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { checkRecord } from './file-json.ts';
import type { FileIssue, ReadRow, Segment } from './file-row.ts';
import { formatSegments } from './json-records.ts';
import type { CartItem, OrderUpdate } from './order-update.ts';

export interface JoinOptions {
  /** What rows of one order that stand next to each other are; `undefined` when the caller did not say. */
  readonly rows: 'group' | 'each' | undefined;
  readonly schema: OrderUpdateSchema;
}

/** More rows are not held in the memory, and no order has so many lines. */
const maxGroup = 10_000;
/** So many rows back, rows of the same order or with the same order_id are noticed. */
const comparedRows = 100_000;
/** The most text that is held: of the rows of a group, and of those that are compared. */
const maxCharacters = 64 * 1_048_576;

/** Makes one update of the rows of an order, or refuses rows that may be one where the caller did not say. */
export async function* joinRows(rows: AsyncIterable<ReadRow>, options: JoinOptions): AsyncGenerator<ReadRow> {
  const compare = createComparison(options);
  let group: ReadRow[] = [];
  let characters = 0;
  for await (const row of rows) {
    const [first] = group;
    // Many exports write the token in the first row of an order alone.
    const isSame = row.token === first?.token || (!hasToken(row) && options.rows === undefined);
    const isNext = first && hasToken(first) && isSame && !row.isUnreadable;
    if (isNext) characters += JSON.stringify(row.update)?.length ?? 0;
    const isFull = group.length === maxGroup || characters > maxCharacters;
    if (group.length > 0 && (!isNext || options.rows === 'each' || isFull)) {
      yield* joinGroup(group, options).map(compare);
      group = [];
      characters = 0;
    }
    group.push(row);
  }
  if (group.length > 0) yield* joinGroup(group, options).map(compare);
}

/** Decides about the rows of one order that stand next to each other. */
function joinGroup(group: readonly ReadRow[], { rows, schema }: JoinOptions): readonly ReadRow[] {
  const [first, ...others] = group;
  if (!first || others.length === 0 || rows === 'each') return group;
  return rows === 'group' ? [mergeRows(first, others, schema)] : refuseItemRows(first, others);
}

function mergeRows(first: ReadRow, others: readonly ReadRow[], schema: OrderUpdateSchema): ReadRow {
  const group = [first, ...others];
  // What one row leaves out, another one has: only the update that they make is held against the schema.
  const isOpen = ({ code, path }: FileIssue): boolean =>
    code === 'required' && path !== '' && !path.startsWith('cart.items[');
  const issues = group.flatMap((row) => row.issues.filter((issue) => !isOpen(issue)));
  const warnings = group.flatMap((row) => row.warnings);
  const { row: firstRow } = first;
  const lastRow = others.at(-1)?.row ?? firstRow;
  const refused = { ...first, lastRow, issues, warnings };
  if (issues.length > 0) return refused;
  const fields: Fields = {};
  const origins = new Map<string, number>();
  let before: ReadRow | undefined;
  for (const row of group) {
    const path = mergeFields(fields, row.update, [], (filled) => origins.set(filled, row.row));
    if (path)
      issues.push({
        row: row.row,
        ...row.locate(path),
        code: 'group_differs',
        path: formatSegments(path),
        message: `Rows ${originOf(path, origins)} and ${row.row} are of one order, and differ in more than their items`,
        hint: 'Write the same in each row of the order, or in one of its rows alone.',
      });
    if (before && isRepeated(before, row))
      warnings.push({
        row: row.row,
        ...row.locate(['token']),
        code: 'repeated_row',
        path: '',
        message: `Row ${row.row} repeats row ${before.row}, and its items would be there twice`,
        hint: 'Leave one out.',
      });
    before = row;
  }
  if (issues.length > 0) return refused;
  // A cart without items changes none, and one with no items has none left.
  const items = group.some(({ update }) => update.cart?.items) && { items: group.flatMap(itemsOf) };
  const { cart } = fields;
  const update = { ...fields, ...((cart || items) && { cart: { ...(cart as Fields), ...items } }) };
  const found = group.flatMap((row) => row.issues);
  for (const { segments, ...issue } of checkRecord(update, schema).issues)
    issues.push(
      found.find(({ path }) => path === issue.path) ?? {
        row: firstRow,
        ...first.locate(segments),
        ...issue,
      },
    );
  return { ...refused, update: update as OrderUpdate };
}

type Fields = Record<string, unknown>;

/**
 * Fills in the fields of an order that one of its rows has, but for its items: many exports write them in one row of an
 * order alone. Returns the path of the first that has another value already.
 */
function mergeFields(
  merged: Fields,
  row: object,
  path: readonly Segment[],
  onFilled: (path: string) => void,
): readonly Segment[] | undefined {
  for (const [key, value] of Object.entries(row)) {
    const inside = [...path, key];
    if (isItems(inside)) continue;
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    if (known === undefined) onFilled(formatSegments(inside));
    if (isPlainObject(value) && (known === undefined || isPlainObject(known))) {
      merged[key] = known ?? {};
      const found = mergeFields(merged[key] as Fields, value, inside, onFilled);
      if (found) return found;
    } else if (known === undefined) merged[key] = value;
    else {
      const found = findDifference(known, value, inside);
      if (found) return found;
    }
  }
  return undefined;
}

/** The row from which a field, or what holds it, was filled in. */
const originOf = (path: readonly Segment[], origins: ReadonlyMap<string, number>): number | undefined =>
  path.flatMap((_, index) => origins.get(formatSegments(path.slice(0, index + 1))) ?? []).at(-1);

/** Whether a row holds the items of the row before it, and no field of the order that differs. */
const isRepeated = (before: ReadRow, row: ReadRow): boolean =>
  isEqual(before.update, row.update) ||
  (itemsOf(row).length > 0 &&
    isEqual(itemsOf(before), itemsOf(row)) &&
    !contradicts(before.update, row.update));

/**
 * An order that gets one update for each of its items keeps the items of the last. Rows that contradict each other in more
 * than their items are updates that follow each other; many exports write the fields of the order in its first row alone.
 */
function refuseItemRows(first: ReadRow, others: readonly ReadRow[]): readonly ReadRow[] {
  const group = [first, ...others].filter((row) => itemsOf(row).length > 0);
  const areItems = group.some((row, index) => {
    const before = group[index - 1];
    return before && !isEqual(itemsOf(before), itemsOf(row)) && !contradicts(before.update, row.update);
  });
  if (!areItems) return [first, ...others];
  const withoutToken = group.find((row) => !hasToken(row));
  const text = withoutToken
    ? ({
        code: 'row_without_token',
        message: `Row ${withoutToken.row} has no token, and may hold an item of the order of row ${first.row}`,
        hint: 'Write the token in every row of an order.',
      } as const)
    : ({
        code: 'row_per_item',
        message: `Rows ${group[0]?.row} to ${group.at(-1)?.row} are of one order and hold different items. As updates of their own, the last would replace the items of the others`,
        hint: 'Say that they are one update (group), or that each holds all items of its order (each).',
      } as const);
  const issueOf = (row: ReadRow): FileIssue => ({
    row: row.row,
    ...row.locate(['token']),
    path: 'token',
    ...text,
  });
  return [first, ...others].map((row) => ({ ...row, issues: [...row.issues, issueOf(row)] }));
}

/** Whether an issue says that a row may be a part of another's update. */
const isOfItems = (code: string): boolean => code === 'row_per_item' || code === 'row_without_token';

/** Compares each row with those before it that are not next to it. */
function createComparison({ rows }: JoinOptions): (row: ReadRow) => ReadRow {
  const tokens = new LatestRows();
  const orderIds = new LatestRows();
  return (row) => {
    const { update, issues } = row;
    if (row.token === '') return row;
    // A copy: a part of the text would keep all of it in the memory.
    const token = JSON.stringify(row.token);
    const found: FileIssue[] = [];
    const warnings: FileIssue[] = [];
    const before = tokens.get(token);
    const items = itemsOf(row);
    const isItemRow = items.length > 0 && !issues.some(({ code }) => isOfItems(code));
    const facts: Facts = {
      skus: items.map((item) => item?.sku),
      fields: { ...update, cart: { ...update?.cart, items: [] } },
    };
    if (before && rows === 'group')
      found.push({
        row: row.row,
        ...row.locate(['token']),
        code: 'group_apart',
        path: 'token',
        message: `Row ${row.row} is of the same order as row ${before.row}, and not next to it`,
        hint: 'Sort the file by token.',
      });
    else if (before && rows === undefined && isItemRow && areOtherItems(JSON.parse(before.text), facts))
      warnings.push({
        row: row.row,
        ...row.locate(['token']),
        code: 'token_again',
        path: 'token',
        message: `Row ${row.row} is of the same order as row ${before.row}, and its items replace those of that row`,
        hint: 'If they are items of one order, sort the file by token.',
      });
    if (rows === 'group') tokens.set(token, { row: row.lastRow, text: '' });
    else if (rows === undefined && isItemRow)
      tokens.set(token, { row: row.lastRow, text: JSON.stringify(facts) });
    const orderId = issues.length === 0 ? JSON.stringify(update.order_id) : undefined;
    const other = orderId === undefined ? undefined : orderIds.get(orderId);
    if (other && other.text !== token)
      warnings.push({
        row: row.row,
        ...row.locate(['order_id']),
        code: 'repeated_order_id',
        path: 'order_id',
        found: JSON.stringify(update.order_id),
        message: `Row ${other.row} has this order_id for another token`,
        hint: 'Write the order_id of this order; a spreadsheet may have shortened it.',
      });
    if (orderId !== undefined) orderIds.set(orderId, { row: row.row, text: token });
    if (found.length === 0 && warnings.length === 0) return row;
    return { ...row, issues: [...issues, ...found], warnings: [...row.warnings, ...warnings] };
  };
}

/** What is compared of rows of one order that are apart. */
interface Facts {
  readonly skus: readonly unknown[];
  /** The update without its items. */
  readonly fields: unknown;
}

const areOtherItems = (before: Facts, now: Facts): boolean =>
  !isEqual(before.skus, now.skus) && !contradicts(before.fields, now.fields);

interface LatestRow {
  readonly row: number;
  readonly text: string;
}

/** The latest rows only, by a text that they have in common with others. */
class LatestRows {
  readonly #rows = new Map<string, LatestRow>();
  #characters = 0;

  get(key: string): LatestRow | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: LatestRow): void {
    this.#delete(key);
    this.#rows.set(key, row);
    this.#characters += key.length + row.text.length;
    for (const oldest of this.#rows.keys()) {
      if (this.#rows.size <= comparedRows && this.#characters <= maxCharacters) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const row = this.#rows.get(key);
    if (row && this.#rows.delete(key)) this.#characters -= key.length + row.text.length;
  }
}

/** Whether a row names its order: "NULL" and "nan" do not. */
const hasToken = ({ token, warnings }: ReadRow): boolean =>
  token.trim() !== '' && !warnings.some(({ code, path }) => code === 'placeholder' && path === 'token');

/** The items of a row, of an invalid one too: left out, it leaves the others of its order without it. */
function itemsOf({ update }: ReadRow): readonly CartItem[] {
  const items: unknown = (update as Partial<OrderUpdate> | null)?.cart?.items;
  return Array.isArray(items) ? items : [];
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const isItems = (path: readonly Segment[]): boolean =>
  path.length === 2 && path[0] === 'cart' && path[1] === 'items';

/** Whether two updates write different values for a field, but for the items of the cart; one may leave it out. */
const contradicts = (one: unknown, other: unknown): boolean =>
  findDifference(one, other, [], true) !== undefined;

/** The path of the first difference that is not one of the items of the cart. */
function findDifference(
  one: unknown,
  other: unknown,
  path: readonly Segment[],
  ignoresMissing = false,
): readonly Segment[] | undefined {
  if (ignoresMissing && (one === undefined || other === undefined)) return undefined;
  if (Object.is(one, other) || isItems(path)) return undefined;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return path;
  if (Array.isArray(one) !== Array.isArray(other)) return path;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const step = Array.isArray(one) ? Number(key) : key;
    const found = findDifference(one[key as never], other[key as never], [...path, step], ignoresMissing);
    if (found) return found;
  }
  return undefined;
}
