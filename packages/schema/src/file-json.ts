import type { OrderUpdateSchema } from './define-order-update.ts';
import { explain } from './explain.ts';
import {
  type FileIssue,
  type FileSource,
  findTokenIssue,
  type ReadRow,
  type Segment,
  show,
  unreadableRow,
} from './file-row.ts';
import { FileFault, longestText, readAll } from './file-text.ts';
import { kindOf, type Schema, schemaAt, wholeNumber } from './form-values.ts';
import {
  createLocate,
  formatSegments,
  type JsonRecord,
  parseJsonRecord,
  splitJson,
  type WrittenDecimals,
} from './json-records.ts';
import type { OrderUpdate } from './order-update.ts';
import { findDamage } from './spreadsheet-damage.ts';

/** Reads a row on each line that is not blank. */
export async function* readNdjson(source: FileSource): AsyncGenerator<ReadRow> {
  let line = 1;
  let rest = '';
  try {
    for await (const chunk of source.chunks) {
      const lines = chunk.includes('\n') ? (rest + chunk).split(/\r?\n/) : [rest + chunk];
      rest = lines.pop() ?? '';
      for (const text of lines) {
        if (text.trim() !== '') yield readRecord({ text, line, column: 1 }, line, source);
        line++;
      }
      if (rest.length > longestText) throw new FileFault('The line is longer than 64 MiB');
    }
    if (rest.trim() !== '') yield readRecord({ text: rest, line, column: 1 }, line, source);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    yield unreadableRow([error.toIssue({ row: line, line })]);
  }
}

/** Reads one update, or a list of rows. */
export async function* readJson(source: FileSource): AsyncGenerator<ReadRow> {
  let text: string;
  try {
    text = await readAll(source.chunks);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    yield unreadableRow([error.toIssue({ row: 1, line: 1 })]);
    return;
  }
  const records = text.trim() === '' ? [] : splitJson(text);
  if ('code' in records) yield unreadableRow([{ row: 1, ...records }]);
  else for (const [index, record] of records.entries()) yield readRecord(record, index + 1, source);
}

/** Reads `{ "token", "update" }`, or an update alone. */
function readRecord(record: JsonRecord, row: number, { schema, options }: FileSource): ReadRow {
  const { value, changes, decimals } = parseJsonRecord(record);
  const issues: FileIssue[] = changes.map((change) => ({ row, ...change }));
  const find = createLocate(record);
  const base = { row, lastRow: row, line: record.line };
  if (issues.some(({ code }) => code === 'malformed'))
    return { ...base, token: '', update: {} as OrderUpdate, issues, warnings: [], locate: () => base };
  const isRecord = isObject(value) && ('update' in value || 'token' in value);
  const {
    token: given,
    update,
    ...others
  }: Readonly<Record<string, unknown>> = isRecord ? value : { update: value };
  const prefix = isRecord ? ['update'] : [];
  for (const name of Object.keys(others))
    issues.push({
      row,
      ...find([name]),
      code: 'misplaced',
      path: formatSegments([name]),
      message: 'A field beside "token" and "update" would not be sent',
      hint: 'Write { "token": "...", "update": { "cart": ... } }, with the fields of the update inside.',
    });
  const tokenIssue = isRecord || options.requireToken !== false ? findTokenIssue(given) : undefined;
  if (tokenIssue) issues.push({ row, ...find(['token']), ...tokenIssue });
  // Its fields stand beside it.
  const isMisplaced = update === undefined && issues.length > 0;
  const checked = isMisplaced ? { issues: [], warnings: [] } : checkRecord(update, schema);
  const locate = ({ segments, ...issue }: Segmented): FileIssue => ({
    row,
    ...find([...prefix, ...segments]),
    ...issue,
  });
  issues.push(...checked.issues.map(locate));
  const warnings = checked.warnings.map(locate);
  const ofUpdate = decimals.map((each) => ({ ...each, segments: each.segments.slice(prefix.length) }));
  for (const each of findAmountsWithDecimals(ofUpdate, schema))
    (options.decimals ? issues : warnings).push({ row, ...each });
  const token = typeof given === 'string' ? given : '';
  const damage = findDamage('token', token);
  if (damage) warnings.unshift({ row, ...find(['token']), path: 'token', found: show(token), ...damage });
  return {
    ...base,
    token,
    update: update as OrderUpdate,
    issues,
    warnings,
    locate: (path) => find(path[0] === 'token' ? path : [...prefix, ...path]),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Segmented = Omit<FileIssue, 'row'> & { readonly segments: readonly Segment[] };

interface CheckedRecord {
  readonly issues: readonly Segmented[];
  readonly warnings: readonly Segmented[];
}

/** Finds amounts that are written with decimals: JSON holds the integers that are sent, and these are very likely in another unit. */
export function findAmountsWithDecimals(
  numbers: readonly WrittenDecimals[],
  schema: OrderUpdateSchema,
): readonly Omit<FileIssue, 'row'>[] {
  return numbers.flatMap(({ segments, ...where }) => {
    const keys = segments.map(String);
    const { amounts } = kindOf(
      keys.reduce<Schema | undefined>(schemaAt, schema),
      keys.join('.'),
      wholeNumber,
    );
    if (!amounts) return [];
    return {
      ...where,
      path: formatSegments(segments),
      code: 'written_decimals',
      message: `The decimals are not sent: ${Number(where.found)} is`,
      hint: 'Write the integer that is sent.',
    };
  });
}

/** Checks an update: by the schema, and for what an export may have done to its texts. */
export function checkRecord(update: unknown, schema: OrderUpdateSchema): CheckedRecord {
  const { error } = schema.safeParse(update);
  const issues = error
    ? explain(error).map((issue, index): Segmented => {
        const segments = (error.issues[index]?.path ?? []) as readonly Segment[];
        return { ...issue, segments, ...found(update, segments) };
      })
    : [];
  // Only what the schema accepts is bounded in size and depth.
  return { issues, warnings: error ? [] : [...damagedTexts(update, [])] };
}

function* damagedTexts(value: unknown, segments: readonly Segment[]): Generator<Segmented> {
  if (typeof value === 'string') {
    const path = formatSegments(segments);
    const damage = findDamage(path, value);
    if (damage) yield { segments, path, found: show(value), ...damage };
  } else if (Array.isArray(value))
    for (const [index, inner] of value.entries()) yield* damagedTexts(inner, [...segments, index]);
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) yield* damagedTexts(inner, [...segments, name]);
}

function found(update: unknown, path: readonly Segment[]): { readonly found?: string } {
  const value = path.reduce<unknown>((inner, key) => Object(inner)[key], update);
  return value === undefined || typeof value === 'object' ? {} : { found: show(value) };
}
