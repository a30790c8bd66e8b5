import { currencyCodes } from './currency-codes.ts';

/**
 * Returns the decimals of each currency by ISO 4217, as a table for `amounts.decimals`: 2 for `EUR`, 0 for `JPY`, 3 for
 * `KWD`. Codes without decimals of their own, such as gold (`XAU`), are missing. Whether the service counts in these
 * units is undocumented: replace what differs, as in `{ ...isoDecimals(), ISK: 2 }`.
 *
 * `Intl.NumberFormat` has other figures, which also differ between its versions: 0 for `HUF` and `IDR`, for example.
 */
export function isoDecimals(): Record<string, number> {
  const others = new Map(
    Object.entries(exceptions).flatMap(([decimals, codes]) =>
      codes.split(' ').map((code) => [code, decimals === 'none' ? undefined : Number(decimals)] as const),
    ),
  );
  const table = currencyCodes.map((code) => [code, others.has(code) ? others.get(code) : 2] as const);
  return Object.fromEntries(table.filter((row): row is [string, number] => row[1] !== undefined));
}

const exceptions = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
  none: 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX',
};
