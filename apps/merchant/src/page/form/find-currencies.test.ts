import { currencyCodes } from '@orders/schema';
import { expect, test } from 'vitest';
import { findCurrencies, listCurrencies } from './find-currencies.ts';

const all = listCurrencies();
const codes = (text: string) => findCurrencies(all, text).map(({ code }) => code);

test('lists every code of the schema, named where there is a name', () => {
  expect(all.map(({ code }) => code)).toEqual(currencyCodes);
  expect(all.find(({ code }) => code === 'NOK')).toEqual({ code: 'NOK', name: 'Norwegian Krone' });
});

test('finds by code before it finds by name, in either case', () => {
  expect(codes('nok')[0]).toBe('NOK');
  expect(codes('krone')).toEqual(expect.arrayContaining(['DKK', 'NOK']));
  expect(codes(' Sek ')).toEqual(['SEK']);
  expect(codes('EU')[0]).toBe('EUR');
});

test('finds all for no text, and none for what no currency is called', () => {
  expect(codes('')).toEqual(currencyCodes);
  expect(codes('ducats')).toEqual([]);
});
