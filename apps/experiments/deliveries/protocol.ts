/** What a receiver is started with. */
export interface ReceiverSettings {
  readonly place: { readonly folder: string } | { readonly connectionString: string };
  readonly port: number;
  /** Of the signatures of deliveries. */
  readonly secret: string;
  /** How often a handler throws, and how often it never ends: from 0 to 1. */
  readonly throwing: number;
  readonly hanging: number;
}

/** The body of a delivery, besides what fills it. */
export interface Delivered {
  readonly id: string;
  readonly token: string;
}

export const signatureHeader = 'x-signature';
