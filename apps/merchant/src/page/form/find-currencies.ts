import { currencyCodes } from '@orders/schema';

/** A currency of the list, with its English name where the browser knows one. */
export interface Currency {
  readonly code: string;
  readonly name: string | undefined;
}

/** Every currency of the list. */
export function listCurrencies(): readonly Currency[] {
  const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' });
  return currencyCodes.map((code) => ({ code, name: names.of(code) }));
}

/** The currencies whose code begins with a text, then those that have it in their name; all of them for no text. */
export function findCurrencies(currencies: readonly Currency[], text: string): readonly Currency[] {
  const wanted = text.trim().toLowerCase();
  const byCode = currencies.filter(({ code }) => code.toLowerCase().startsWith(wanted));
  const byName = currencies.filter(
    (currency) => !byCode.includes(currency) && currency.name?.toLowerCase().includes(wanted),
  );
  return [...byCode, ...byName];
}
