/** Where an outbox is. */
export interface Place {
  /** A folder that PGlite keeps it in, or a PostgreSQL; its address may hold a password. */
  readonly where: { readonly folder: string } | { readonly connectionString: string };
  readonly schema: string;
}
