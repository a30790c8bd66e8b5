import { defineOrderUpdate, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';

/** The names that a person gives to what the interface document leaves unnamed; empty where none is given. */
export interface OwnNames {
  readonly firstMetadata: string;
  readonly secondMetadata: string;
  readonly totalAmount: string;
  readonly vatAmount: string;
  readonly qrSessionId: string;
  /** Codes with anything but letters between them. */
  readonly currencies: string;
}

export const noNames: OwnNames = {
  firstMetadata: '',
  secondMetadata: '',
  totalAmount: '',
  vatAmount: '',
  qrSessionId: '',
  currencies: '',
};

/** The schema of these names, or in words why there can be none. */
export type NamedSchema = { readonly schema: OrderUpdateSchema } | { readonly mistake: string };

/** Makes the schema of a person's names. Never throws. */
export function nameSchema(names: OwnNames): NamedSchema {
  const given = Object.values(names).some((name) => name.trim() !== '');
  if (!given) return { schema: OrderUpdate };
  const { firstMetadata, secondMetadata, ...rest } = names;
  const metadata = [firstMetadata, secondMetadata].map((name) => name.trim()).filter(Boolean);
  const currencies = rest.currencies.toUpperCase().match(/[A-Z]+/g);
  try {
    const schema = defineOrderUpdate({
      metadata: metadata as [string] | [string, string],
      ...named('totalAmount', rest.totalAmount),
      ...named('vatAmount', rest.vatAmount),
      ...named('qrSessionId', rest.qrSessionId),
      ...(currencies && { currencies }),
    });
    return { schema: schema as unknown as OrderUpdateSchema };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}

function named<Key extends string>(key: Key, name: string): { readonly [K in Key]?: string } {
  return name.trim() === '' ? {} : ({ [key]: name.trim() } as { readonly [K in Key]?: string });
}
