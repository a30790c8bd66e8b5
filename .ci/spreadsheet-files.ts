import { Buffer } from 'node:buffer';

interface Issue {
  readonly row: number;
  readonly line?: number;
  readonly column?: number;
  readonly path: string;
  readonly code: string;
}

/** A row as `@orders/schema/file` reads it. */
interface Row {
  readonly row: number;
  readonly lastRow: number;
  readonly token: string;
  readonly update: { readonly cart?: { readonly items?: unknown } };
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** A file of updates as a program writes it, and what is read of it. */
export interface FileCase {
  readonly what: string;
  /** @default a.csv */
  readonly name?: string;
  readonly content: string | Uint8Array;
  readonly options?: { readonly decimals?: number; readonly rows?: 'group' | 'each' };
  /** Each row as `describeRow` describes it. */
  readonly rows: readonly string[];
}

/**
 * A row in one line: `2 t1 {"order_id":"A"}` is sent, with the items of its cart beside it; `3! 3:2 order_id too_long` is
 * refused, at line 3 and column 2 of the table; `2? 2:3 cart.items[0].sku placeholder` is a warning, after its row.
 */
export function describeRow({ row, lastRow, token, update, issues, warnings }: Row): readonly string[] {
  const describe = (mark: string) => (issue: Issue) =>
    `${issue.row}${mark} ${issue.line}:${issue.column ?? '-'} ${issue.path || '-'} ${issue.code}`;
  const { cart, ...rest } = { ...update };
  const { items, ...others } = { ...cart };
  const numbers = row === lastRow ? row : `${row}-${lastRow}`;
  const fields = { ...rest, ...(Object.keys(others).length > 0 && { cart: others }), items };
  const sent = `${numbers} ${token} ${JSON.stringify(fields)}`;
  return [...(issues.length > 0 ? issues.map(describe('!')) : [sent]), ...warnings.map(describe('?'))];
}

const sku = 'cart.items[0].sku';
const utf16 = (text: string, order: 'le' | 'be', mark = true): Uint8Array => {
  const bytes = Buffer.from((mark ? '\uFEFF' : '') + text, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const item = (fields: object): string => JSON.stringify({ items: [fields] }).slice(1, -1);
const mug = item({ sku: 'mug' });

export const fileCases: readonly FileCase[] = [
  // Encodings
  {
    what: 'Excel: CSV UTF-8, with a byte order mark, CR LF and quotes where needed',
    content: `\uFEFFtoken,order_id,${sku}\r\nt1,"Müller, A",mug\r\n`,
    rows: [`2 t1 {"order_id":"Müller, A",${mug}}`],
  },
  {
    what: 'Excel: Unicode Text, UTF-16 LE with tabs',
    name: 'a.txt',
    content: utf16(`token\torder_id\t${sku}\r\nt1\tMüller\tmug\r\n`, 'le'),
    rows: [`2 t1 {"order_id":"Müller",${mug}}`],
  },
  {
    what: 'UTF-16 BE',
    content: utf16(`token,order_id,${sku}\nt1,Müller,mug\n`, 'be'),
    rows: [`2 t1 {"order_id":"Müller",${mug}}`],
  },
  {
    what: 'UTF-16 LE without a byte order mark, as bcp of SQL Server writes it',
    content: utf16(`token,${sku}\r\nt1,mug\r\n`, 'le', false),
    rows: [`2 t1 {${mug}}`],
  },
  {
    what: 'Excel: CSV in Windows-1252',
    content: Buffer.from(`token,order_id,${sku}\r\nt1,A,mug\r\nt2,Müller,mug\r\n`, 'latin1'),
    rows: [`2 t1 {"order_id":"A",${mug}}`, '3! 3:- - malformed'],
  },
  {
    what: 'UTF-8 that was read as Windows-1252 and saved again',
    content: `token,order_id,${sku}\nt1,MÃ¼ller,mug\n`,
    rows: [`2 t1 {"order_id":"MÃ¼ller",${mug}}`, '2? 2:2 order_id damaged_text'],
  },
  {
    what: 'an Excel workbook',
    content: Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0),
    rows: ['1! 1:- - malformed'],
  },
  {
    what: 'a copy that broke off in zeros',
    content: `token,order_id,${sku}\nt1,A,mug\nt2,B,\0\0\0\0`,
    rows: [`2 t1 {"order_id":"A",${mug}}`, '3! 3:- - malformed'],
  },

  // Separators
  {
    what: 'Excel where a comma stands in numbers: semicolons, 129,00',
    content: `token;order_id;${sku};cart.items[0].unit_price\r\nt1;A;mug;129,00\r\n`,
    options: { decimals: 2 },
    rows: [`2 t1 {"order_id":"A",${item({ sku: 'mug', unit_price: 12900 })}}`],
  },
  {
    what: 'a first line that names the separator',
    content: `sep=;\r\ntoken;order_id;${sku}\r\nt1;A, B;mug\r\nt2;;mug, big\r\n`,
    rows: [`2 t1 {"order_id":"A, B",${mug}}`, `3 t2 {${item({ sku: 'mug, big' })}}`],
  },
  {
    what: 'a first line that names the comma, and a row that is wrong',
    content: `sep=,\ntoken,require_shipping,${sku}\nt1,TRUE,mug\nt2,maybe,mug\n`,
    rows: [`2 t1 {"require_shipping":true,${mug}}`, '3! 4:2 require_shipping invalid_type'],
  },
  {
    what: 'tabs',
    name: 'a.tsv',
    content: `token\torder_id\t${sku}\nt1\tA,B;C\tmug\n`,
    rows: [`2 t1 {"order_id":"A,B;C",${mug}}`],
  },
  {
    what: 'vertical bars',
    name: 'a.txt',
    content: `token|order_id|${sku}\nt1|A,B;C|mug\n`,
    rows: [`2 t1 {"order_id":"A,B;C",${mug}}`],
  },

  // Lines
  {
    what: 'Excel for Mac: lines that end with CR, and a semicolon in a name',
    content: `token,order_id,cart.items[0].name\rt1,A,a; b\rt2,B,c\r`,
    rows: [`2 t1 {"order_id":"A",${item({ name: 'a; b' })}}`, `3 t2 {"order_id":"B",${item({ name: 'c' })}}`],
  },
  {
    what: 'line breaks in a cell, CR LF everywhere',
    content: `token,order_id,cart.items[0].name\r\nt1,A,"a\r\nb\r\nc"\r\nt2,${'x'.repeat(256)},d\r\n`,
    rows: [`2 t1 {"order_id":"A",${item({ name: 'a\r\nb\r\nc' })}}`, '3! 5:2 order_id too_long'],
  },
  {
    what: 'CR LF in a cell, and LF between rows',
    content: `token,cart.items[0].name,order_id\nt1,"a\r\nb",A\nt2,c,${'x'.repeat(256)}\n`,
    rows: [`2 t1 {"order_id":"A",${item({ name: 'a\r\nb' })}}`, '3! 4:3 order_id too_long'],
  },
  {
    what: 'Excel: LF in a cell, CR LF between rows, and none at the end',
    content: `token,cart.items[0].name,order_id\r\nt1,"a\nb",A\r\nt2,c,${'x'.repeat(256)}`,
    rows: [`2 t1 {"order_id":"A",${item({ name: 'a\nb' })}}`, '3! 4:3 order_id too_long'],
  },
  {
    what: 'blank rows, of nothing, separators or blanks',
    content: `\n\ntoken,order_id,${sku}\n,,\n  , ,\n\nt1,A,mug\n\n`,
    rows: [`7 t1 {"order_id":"A",${mug}}`],
  },
  {
    what: 'blank columns beside the table',
    content: `token,,${sku},,\nt1,,mug,,\nt2, ,mug,,\n`,
    rows: [`2 t1 {${mug}}`, `3 t2 {${mug}}`],
  },
  {
    what: 'a note beside the table',
    content: `token,${sku},\nt1,mug,\nt2,mug,call back\n`,
    rows: [`2 t1 {${mug}}`, '3! 3:3 - malformed'],
  },
  {
    what: 'Excel leaves the separators of blank cells out',
    content: `token,${sku},order_id\nt1,mug,A\nt2,mug\n`,
    rows: [`2 t1 {"order_id":"A",${mug}}`, '3! 3:2 - malformed'],
  },
  {
    what: 'a separator in a cell without quotes',
    content: `token,order_id,${sku}\nt1,Müller, A,mug\nt2,B,mug\n`,
    rows: ['2! 2:4 - malformed', `3 t2 {"order_id":"B",${mug}}`],
  },

  // Quotes
  {
    what: 'an inch mark in a cell without quotes',
    content: `token,cart.items[0].name,order_id\nt1,5" pipe,A\nt2,5"" pipe,B\n`,
    rows: [
      `2 t1 {"order_id":"A",${item({ name: '5" pipe' })}}`,
      `3 t2 {"order_id":"B",${item({ name: '5"" pipe' })}}`,
    ],
  },
  {
    what: 'an inch mark in a cell with quotes, written twice',
    content: `token,cart.items[0].name\nt1,"5"" pipe"\nt2,""\nt3,""""\n`,
    rows: [`2 t1 {${item({ name: '5" pipe' })}}`, '3 t2 {}', `4 t3 {${item({ name: '"' })}}`],
  },
  {
    what: 'an inch mark in a cell with quotes, written once',
    content: `token,cart.items[0].name\nt1,a\nt2,"5" pipe"\nt3,b\n`,
    rows: [`2 t1 {${item({ name: 'a' })}}`, '3! 3:2 - malformed'],
  },
  {
    what: 'a quote that is never closed',
    content: `token,order_id,${sku}\nt1,A,mug\nt2,"B,mug\nt3,C,mug\n`,
    rows: [`2 t1 {"order_id":"A",${mug}}`, '3! 3:2 - malformed'],
  },
  {
    what: 'backslashes before quotes, as MySQL writes them',
    content: `token,order_id,${sku}\nt1,"a \\"b\\"",mug\n`,
    rows: ['2! 2:2 - malformed'],
  },

  // Cells
  {
    what: 'TRUE and FALSE, which spreadsheets write',
    content: `token,require_shipping,express_shipping,${sku}\nt1,TRUE,FALSE,mug\nt2,True,false,TRUE\n`,
    rows: [
      `2 t1 {"require_shipping":true,"express_shipping":false,${mug}}`,
      `3 t2 {"require_shipping":true,"express_shipping":false,${item({ sku: 'TRUE' })}}`,
    ],
  },
  {
    what: 'WAHR, which Excel writes in German',
    content: `token;require_shipping;${sku}\nt1;WAHR;mug\n`,
    rows: ['2! 2:2 require_shipping invalid_type'],
  },
  {
    what: 'long numbers that a spreadsheet shortened',
    content: `token,order_id,${sku}\nt1,1.2E+11,6.93217E+12\nt2,A,6932170000001230000\nt3,12345.0,mug\n`,
    rows: [
      `2 t1 {"order_id":"1.2E+11",${item({ sku: '6.93217E+12' })}}`,
      '2? 2:2 order_id shortened_number',
      `2? 2:3 ${sku} shortened_number`,
      `3 t2 {"order_id":"A",${item({ sku: '6932170000001230000' })}}`,
      `3? 3:3 ${sku} shortened_number`,
      `4 t3 {"order_id":"12345.0",${mug}}`,
      '4? 4:2 order_id shortened_number',
    ],
  },
  {
    what: 'amounts that a spreadsheet shortened',
    content: `token,${sku},cart.items[0].unit_price\nt1,mug,1.2E+11\nt2,mug,12345678901234567890\n`,
    rows: ['2! 2:3 cart.items[0].unit_price invalid_amount', '3! 3:3 cart.items[0].unit_price out_of_range'],
  },
  {
    what: 'one order_id for two orders, as shortening makes them',
    content: `token,order_id,${sku}\nt1,1.2E+11,mug\nt2,1.2E+11,mug\n`,
    rows: [
      `2 t1 {"order_id":"1.2E+11",${mug}}`,
      '2? 2:2 order_id shortened_number',
      `3 t2 {"order_id":"1.2E+11",${mug}}`,
      '3? 3:2 order_id shortened_number',
      '3? 3:2 order_id repeated_order_id',
    ],
  },
  {
    what: 'NULL, nan, #N/A and others in place of values',
    content: `token,order_id,${sku}\nNULL,A,nan\nt2,#N/A,mug\n\\N,B,mug\nt4,(null),####\nt5,None,[object Object]\n`,
    rows: [
      `2 NULL {"order_id":"A",${item({ sku: 'nan' })}}`,
      '2? 2:1 token placeholder',
      `2? 2:3 ${sku} placeholder`,
      `3 t2 {"order_id":"#N/A",${mug}}`,
      '3? 3:2 order_id placeholder',
      `4 \\N {"order_id":"B",${mug}}`,
      '4? 4:1 token placeholder',
      `5 t4 {"order_id":"(null)",${item({ sku: '####' })}}`,
      '5? 5:2 order_id placeholder',
      `5? 5:3 ${sku} placeholder`,
      `6 t5 {"order_id":"None",${item({ sku: '[object Object]' })}}`,
      '6? 6:2 order_id placeholder',
      `6? 6:3 ${sku} placeholder`,
    ],
  },
  {
    what: 'NULL in place of a number',
    content: `token,${sku},cart.items[0].quantity\nt1,mug,NULL\nt2,mug,#REF!\n`,
    rows: ['2! 2:3 cart.items[0].quantity not_integer', '3! 3:3 cart.items[0].quantity not_integer'],
  },
  {
    what: 'codes that a spreadsheet made dates of',
    content: `token,order_id,${sku}\nt1,A,01-Feb\nt2,B,Mar-01\nt3,C,1-2\n`,
    rows: [
      `2 t1 {"order_id":"A",${item({ sku: '01-Feb' })}}`,
      `2? 2:3 ${sku} date`,
      `3 t2 {"order_id":"B",${item({ sku: 'Mar-01' })}}`,
      `3? 3:3 ${sku} date`,
      `4 t3 {"order_id":"C",${item({ sku: '1-2' })}}`,
    ],
  },
  {
    what: 'marks of text: ="007" and \'007',
    content: `token,order_id,${sku}\nt1,"=""007""",'007\n`,
    rows: [
      `2 t1 {"order_id":"=\\"007\\"",${item({ sku: "'007" })}}`,
      '2? 2:2 order_id formula',
      `2? 2:3 ${sku} formula`,
    ],
  },
  {
    what: 'blanks, and characters that are not visible, around codes',
    content: `token,order_id,${sku}\n t1,A\u00A0,mu\u200Bg\n`,
    rows: [
      `2  t1 {"order_id":"A\u00A0",${item({ sku: 'mu\u200Bg' })}}`,
      '2? 2:1 token blanks',
      '2? 2:2 order_id blanks',
      `2? 2:3 ${sku} blanks`,
    ],
  },
  {
    what: 'a blank before a quote, which makes it a part of the cell',
    content: `token, order_id, ${sku}\nt1, "A", mug\n`,
    rows: [
      `2 t1 {"order_id":" \\"A\\"",${item({ sku: ' mug' })}}`,
      '2? 2:2 order_id blanks',
      `2? 2:3 ${sku} blanks`,
    ],
  },
  {
    what: 'a column update, which holds JSON',
    content:
      'token,update\nt1,"{""cart"":{""items"":[{""sku"":""mug""}]}}"\nt2,"{""cart"":{},""cart"":{}}"\nt3,{\n',
    rows: [`2 t1 {${mug}}`, '3! 3:2 cart duplicate_name', '4! 4:2 - malformed'],
  },

  // The first row
  {
    what: 'columns of another export',
    content: `Order,token,Customer name,order_id,order_id\n1,t1,Kari,A,B\n`,
    rows: [
      '1! 1:1 Order unknown_column',
      '1! 1:3 Customer name unknown_column',
      '1! 1:5 order_id unknown_column',
    ],
  },
  { what: 'no first row', content: `t1,A,mug\n`, rows: ['1! 1:1 token unknown_column'] },

  // One row for each item
  {
    what: 'one row for each item of an order',
    content: `token,order_id,${sku}\nt1,A,mug\nt1,A,cup\nt2,B,mug\n`,
    rows: ['2! 2:1 token row_per_item', '3! 3:1 token row_per_item', `4 t2 {"order_id":"B",${mug}}`],
  },
  {
    what: 'updates of an order that follow each other, each with an order_id of its own',
    content: `token,order_id,${sku}\nt1,A,mug\nt1,B,cup\nt2,D,mug\nt1,C,mug\n`,
    rows: [
      `2 t1 {"order_id":"A",${mug}}`,
      '3 t1 {"order_id":"B","items":[{"sku":"cup"}]}',
      `4 t2 {"order_id":"D",${mug}}`,
      `5 t1 {"order_id":"C",${mug}}`,
    ],
  },
  {
    what: 'one row for each item, as one update',
    content: `token,order_id,${sku}\nt1,A,mug\nt1,A,cup\nt1,A,cup\nt2,B,mug\n`,
    options: { rows: 'group' },
    rows: [
      '2-4 t1 {"order_id":"A","items":[{"sku":"mug"},{"sku":"cup"},{"sku":"cup"}]}',
      '4? 4:1 - repeated_row',
      `5 t2 {"order_id":"B",${mug}}`,
    ],
  },
  {
    what: 'one row for each item, as an update each',
    content: `token,order_id,${sku}\nt1,A,mug\nt1,A,cup\n`,
    options: { rows: 'each' },
    rows: [`2 t1 {"order_id":"A",${mug}}`, `3 t1 {"order_id":"A",${item({ sku: 'cup' })}}`],
  },
  {
    what: 'Shopify: fields of the order in its first row alone, as one update',
    content: `token,order_id,shipping_address.zip,${sku}\nt1,A,1,mug\nt1,,,cup\nt1,,,jug\nt2,B,,mug\nt2,,2,cup\n`,
    options: { rows: 'group' },
    rows: [
      '2-4 t1 {"order_id":"A","shipping_address":{"zip":"1"},"items":[{"sku":"mug"},{"sku":"cup"},{"sku":"jug"}]}',
      '5-6 t2 {"order_id":"B","shipping_address":{"zip":"2"},"items":[{"sku":"mug"},{"sku":"cup"}]}',
    ],
  },
  {
    what: 'fields of the order in its last row alone, as one update',
    content: `token,order_id,require_shipping,${sku}\nt1,,,mug\nt1,A,FALSE,cup\n`,
    options: { rows: 'group' },
    rows: ['2-3 t1 {"order_id":"A","require_shipping":false,"items":[{"sku":"mug"},{"sku":"cup"}]}'],
  },
  {
    what: 'one object for each item, with fields of the order in one of them, as one update',
    name: 'a.ndjson',
    content: [
      '{"order_id":"A","require_shipping":false,"cart":{"items":[{"sku":"mug"}],"total":0}}',
      '{"require_shipping":false,"cart":{"items":[{"sku":"cup"}]}}',
      '{"shipping_address":{"lines":["a","b"]},"cart":{"total":0}}',
    ]
      .map((update) => `{"token":"t1","update":${update}}`)
      .join('\n'),
    options: { rows: 'group' },
    rows: [
      '1-3 t1 {"order_id":"A","require_shipping":false,"shipping_address":{"lines":["a","b"]},"cart":{"total":0},"items":[{"sku":"mug"},{"sku":"cup"}]}',
    ],
  },
  {
    what: 'a list of an order that another row has longer',
    name: 'a.json',
    content: `[${['["a"]', '["a","b"]'].map((lines) => `{"token":"t1","update":{"cart":{},"shipping_address":{"lines":${lines}}}}`)}]`,
    options: { rows: 'group' },
    rows: ['2! 1:140 shipping_address.lines[1] group_differs'],
  },
  {
    what: 'three orders mixed, with their fields once',
    content: `token,order_id,${sku}\nt1,A,mug\nt2,B,mug\nt3,,mug\nt1,,cup\nt3,C,cup\n`,
    options: { rows: 'group' },
    rows: [
      `2 t1 {"order_id":"A",${mug}}`,
      `3 t2 {"order_id":"B",${mug}}`,
      `4 t3 {${mug}}`,
      '5! 5:1 token group_apart',
      '6! 6:1 token group_apart',
    ],
  },
  {
    what: 'two values for a field of one order, after rows that leave it blank',
    content: `token,order_id,${sku}\nt1,,mug\nt1,A,cup\nt1,,jug\nt1,B,can\n`,
    options: { rows: 'group' },
    rows: ['5! 5:2 order_id group_differs'],
  },
  {
    what: 'an item that is there twice, with fields of the order once',
    content: `token,order_id,${sku}\nt1,A,mug\nt1,,mug\n`,
    options: { rows: 'group' },
    rows: ['2-3 t1 {"order_id":"A","items":[{"sku":"mug"},{"sku":"mug"}]}', '3? 3:1 - repeated_row'],
  },
  {
    what: 'rows of an order that are not next to each other',
    content: `token,${sku}\nt1,cup\nt2,cup\nt1,mug\n`,
    options: { rows: 'group' },
    rows: [`2 t1 {${item({ sku: 'cup' })}}`, `3 t2 {${item({ sku: 'cup' })}}`, '4! 4:1 token group_apart'],
  },
  {
    what: 'an export sorted by item',
    content: `token,${sku}\nt1,cup\nt2,cup\nt1,mug\n`,
    rows: [
      `2 t1 {${item({ sku: 'cup' })}}`,
      `3 t2 {${item({ sku: 'cup' })}}`,
      `4 t1 {${mug}}`,
      '4? 4:1 token token_again',
    ],
  },

  {
    what: 'Shopify: fields of the order in its first row alone, without --group or --each-row',
    content: `token,order_id,shipping_address.zip,${sku}\nt1,A,1,mug\nt1,,,cup\nt2,B,2,mug\n`,
    rows: [
      '2! 2:1 token row_per_item',
      '3! 3:1 token row_per_item',
      `4 t2 {"order_id":"B","shipping_address":{"zip":"2"},${mug}}`,
    ],
  },
  {
    what: 'fields of the order in its last row alone',
    content: `token,order_id,${sku}\nt1,,mug\nt1,A,cup\n`,
    rows: ['2! 2:1 token row_per_item', '3! 3:1 token row_per_item'],
  },
  {
    what: 'rows of one item each before another update of their order',
    content: `token,order_id,${sku}\nt1,A,mug\nt1,A,cup\nt1,B,jug\n`,
    rows: ['2! 2:1 token row_per_item', '3! 3:1 token row_per_item', '4! 4:1 token row_per_item'],
  },
  {
    what: 'rows of one item each after another update of their order',
    content: `token,order_id,${sku}\nt1,B,jug\nt1,A,mug\nt1,,cup\n`,
    rows: ['2! 2:1 token row_per_item', '3! 3:1 token row_per_item', '4! 4:1 token row_per_item'],
  },
  {
    what: 'an export sorted by item, with fields of the order once',
    content: `token,order_id,${sku}\nt1,A,cup\nt2,B,cup\nt1,,mug\n`,
    rows: [
      `2 t1 {"order_id":"A",${item({ sku: 'cup' })}}`,
      `3 t2 {"order_id":"B",${item({ sku: 'cup' })}}`,
      `4 t1 {${mug}}`,
      '4? 4:1 token token_again',
    ],
  },
  {
    what: 'one object for each item, with fields of the order in the first',
    name: 'a.ndjson',
    content:
      '{"token":"t1","update":{"order_id":"A","cart":{"items":[{"sku":"mug"}]}}}\n{"token":"t1","update":{"cart":{"items":[{"sku":"cup"}]}}}\n',
    rows: ['1! 1:10 token row_per_item', '2! 2:10 token row_per_item'],
  },
  {
    what: 'rows of an order that leave its items out, as one update',
    name: 'a.ndjson',
    content:
      '{"token":"t1","update":{"order_id":"A","cart":{}}}\n{"token":"t1","update":{"order_id":"A","cart":{}}}\n',
    options: { rows: 'group' },
    rows: ['1-2 t1 {"order_id":"A"}', '2? 2:10 - repeated_row'],
  },
  {
    what: 'rows of an order that empty its cart, as one update',
    name: 'a.ndjson',
    content: '{"token":"t1","update":{"cart":{"items":[]}}}\n{"token":"t1","update":{"cart":{}}}\n',
    options: { rows: 'group' },
    rows: ['1-2 t1 {"items":[]}'],
  },
  {
    what: 'a token of blanks, as merged cells leave it',
    content: `token,${sku}\nt1,mug\n ,cup\n\u00A0,jug\n`,
    rows: [
      '2! 2:1 token row_without_token',
      '3! 3:1 token invalid_token',
      '3! 3:1 token row_without_token',
      '4! 4:1 token invalid_token',
      '4! 4:1 token row_without_token',
    ],
  },
  {
    what: 'no token in the second row of an order',
    content: `token,${sku}\nt1,mug\n,cup\nt2,mug\n`,
    rows: [
      '2! 2:1 token row_without_token',
      '3! 3:1 token invalid_token',
      '3! 3:1 token row_without_token',
      `4 t2 {${mug}}`,
    ],
  },
  {
    what: 'NaN for the token in the second row of an order, as pandas writes merged cells',
    content: `token,${sku}\nt1,mug\nnan,cup\n`,
    rows: ['2! 2:1 token row_without_token', '3! 3:1 token row_without_token', '3? 3:1 token placeholder'],
  },
  {
    what: 'no token in a row that is an update of its own',
    content: `token,order_id,${sku}\nt1,A,mug\n,B,cup\n`,
    rows: [`2 t1 {"order_id":"A",${mug}}`, '3! 3:1 token invalid_token'],
  },
  {
    what: 'an invalid item among the rows of an order',
    content: `token,${sku},cart.items[0].quantity\nt1,mug,1\nt1,cup,two\nt2,mug,1\n`,
    rows: [
      '2! 2:1 token row_per_item',
      '3! 3:3 cart.items[0].quantity not_integer',
      '3! 3:1 token row_per_item',
      `4 t2 {${item({ sku: 'mug', quantity: 1 })}}`,
    ],
  },
  {
    what: 'a cell too few or too many among the rows of an order',
    content: `token,${sku},cart.items[0].quantity\nt1,mug,1\nt1,cup\nt2,mug,1\nt2,,2,3\n`,
    rows: [
      '2! 2:1 token row_per_item',
      '3! 3:2 - malformed',
      '3! 3:1 token row_per_item',
      '4! 4:1 token row_per_item',
      '5! 5:4 - malformed',
      '5! 5:1 token row_per_item',
    ],
  },
  {
    what: 'an invalid item apart from the other row of its order',
    content: `token,${sku},cart.items[0].quantity\nt1,mug,1\nt2,mug,1\nt1,cup,two\n`,
    rows: [
      `2 t1 {${item({ sku: 'mug', quantity: 1 })}}`,
      `3 t2 {${item({ sku: 'mug', quantity: 1 })}}`,
      '4! 4:3 cart.items[0].quantity not_integer',
      '4? 4:1 token token_again',
    ],
  },
  {
    what: 'a token of blanks in JSON',
    name: 'a.ndjson',
    content: '{"token":" ","update":{"cart":{}}}\n',
    rows: ['1! 1:10 token invalid_token', '1? 1:10 token blanks'],
  },
  {
    what: 'two files, one after the other, each with its first row',
    content: `token,${sku}\nt1,mug\ntoken,${sku}\nt2,mug\n\uFEFFtoken, ${sku}\nt3,mug\n`,
    rows: [`2 t1 {${mug}}`, '3! 3:1 - malformed', `4 t2 {${mug}}`, '5! 5:1 - malformed', `6 t3 {${mug}}`],
  },
  {
    what: 'one item under two names',
    content: `token,${sku},cart.items[00].sku\nt1,mug,cup\n`,
    rows: ['1! 1:3 cart.items[00].sku unknown_column'],
  },
  {
    what: 'NA, which R writes in place of a code',
    content: `token,order_id,shipping_address.country,${sku}\nt1,NA,NA,mug\n`,
    rows: [
      `2 t1 {"order_id":"NA","shipping_address":{"country":"NA"},${mug}}`,
      '2? 2:2 order_id placeholder',
    ],
  },

  ...[undefined, 'group' as const, 'each' as const].map(
    (rows): FileCase => ({
      what: `updates of one order that are none, where rows are ${rows}`,
      name: 'a.ndjson',
      content: [
        '',
        ',"update":null',
        ',"update":5',
        ',"update":{"cart":[]}',
        ',"update":{"cart":{"items":[null]}}',
      ]
        .map((update) => `{"token":"t1"${update}}`)
        .concat(`{"token":"t2","update":{"cart":{${mug}}}}`)
        .join('\n'),
      ...(rows && { options: { rows } }),
      rows: [
        '1! 1:1 - required',
        '2! 2:24 - invalid_type',
        '3! 3:24 - invalid_type',
        '4! 4:32 cart invalid_type',
        '5! 5:42 cart.items[0] invalid_type',
        `6 t2 {${mug}}`,
      ],
    }),
  ),

  // JSON
  {
    what: 'PowerShell: JSON in UTF-16 LE',
    name: 'a.json',
    content: utf16('[\r\n  {"token":"t1","update":{"cart":{"items":[{"sku":"mug"}]}}}\r\n]', 'le'),
    rows: [`1 t1 {${mug}}`],
  },
  {
    what: 'names that are there twice',
    name: 'a.ndjson',
    content: [
      '{"token":"t1","update":{"cart":{"items":[{"sku":"mug"}]},"cart":{"items":[]}}}',
      '{"token":"t3","token":"t1","update":{"cart":{}}}',
      '{"token":"t1","update":{"cart":{"items":[{"sku":"mug","s\\u006bu":"cup"}]}}}',
    ].join('\n'),
    rows: [
      '1! 1:58 update.cart duplicate_name',
      '2! 2:15 token duplicate_name',
      '3! 3:55 update.cart.items[0].sku duplicate_name',
    ],
  },
  {
    what: 'numbers that JavaScript does not have',
    name: 'a.json',
    content: `[
  {"token":"t1","update":{"cart":{},"total":12345678901234567890}},
  {"token":"t2","update":{"cart":{"items":[{"sku":"mug","quantity":9007199254740990.4}]}}},
  {"token":"t3","update":{"cart":{},"total":1e-400}},
  {"token":"t4","update":{"cart":{},"total":1e400}},
  {"token":"t5","update":{"cart":{},"a":0.1,"b":1.0,"c":1e2,"d":-0,"e":9007199254740992,"f":0.10}}
]`,
    rows: [
      '1! 2:45 update.total inexact_number',
      '2! 3:68 update.cart.items[0].quantity inexact_number',
      '3! 4:45 update.total inexact_number',
      '4! 5:45 update.total inexact_number',
      '4! 5:45 total not_serializable',
      '5 t5 {"a":0.1,"b":1,"c":100,"d":0,"e":9007199254740992,"f":0.1}',
    ],
  },
  {
    what: 'one object for each item, from a database',
    name: 'a.ndjson',
    content:
      '{"token":"t1","update":{"cart":{"items":[{"sku":"mug"}]}}}\n{"token":"t1","update":{"cart":{"items":[{"sku":"cup"}]}}}\n',
    rows: ['1! 1:10 token row_per_item', '2! 2:10 token row_per_item'],
  },
  {
    what: 'a field beside the update',
    name: 'a.ndjson',
    content: '{"token":"t1","update":{"cart":{}},"order_id":"A"}\n',
    rows: ['1! 1:47 order_id misplaced'],
  },
  {
    what: 'a line that is not JSON among others',
    name: 'a.ndjson',
    content:
      '{"token":"t1","update":{"cart":{}}}\r\n{"token":\r\n{"token":"t2","update":{"cart":{}}} x\r\n{"token":"t3","update":{"cart":{}}}\r\n',
    rows: ['1 t1 {}', '2! 2:10 - malformed', '3! 3:37 - malformed', '4 t3 {}'],
  },
  {
    what: 'damage in JSON',
    name: 'a.ndjson',
    content: '{"token":"t1","update":{"order_id":"nan","cart":{"items":[{"sku":"6.93217E+12"}]}}}\n',
    rows: [
      `1 t1 {"order_id":"nan",${item({ sku: '6.93217E+12' })}}`,
      '1? 1:36 order_id placeholder',
      `1? 1:66 ${sku} shortened_number`,
    ],
  },
];
