import { expect, test } from 'vitest';
import { currencyCodes } from './currency-codes.ts';
import { isoDecimals } from './iso-decimals.ts';

test.each([
  [2, ['EUR', 'USD', 'NOK', 'SEK', 'HUF', 'IDR', 'PKR', 'COP', 'MGA', 'MRU', 'XCD']],
  [0, ['JPY', 'KRW', 'ISK', 'CLP', 'VND', 'XAF', 'XOF', 'XPF', 'UGX']],
  [3, ['KWD', 'BHD', 'IQD', 'JOD', 'LYD', 'OMR', 'TND']],
  [4, ['CLF', 'UYW']],
  [undefined, ['XAU', 'XXX', 'XDR', 'XTS', 'constructor', 'eur', '']],
])('by ISO 4217, %s decimals: %j', (decimals, codes) => {
  const table = new Map(Object.entries(isoDecimals()));
  for (const code of codes) expect([code, table.get(code)]).toEqual([code, decimals]);
});

test('the table has every code of the list but the 13 without decimals, and no other', () => {
  const codes = Object.keys(isoDecimals());
  expect(codes).toHaveLength(currencyCodes.length - 13);
  expect(codes.filter((code) => !currencyCodes.includes(code))).toEqual([]);
});

test('the table is the caller’s to change', () => {
  isoDecimals()['ISK'] = 2;
  expect(isoDecimals()['ISK']).toBe(0);
});
