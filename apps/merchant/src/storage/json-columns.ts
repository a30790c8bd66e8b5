import type {
  KyselyPlugin,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely';

/**
 * The columns of JSON. They are text in the database: the types `json` and `jsonb` refuse or change what JSON may hold
 * (`\u0000`, the order of keys), and PostgreSQL's parser gives up on nesting that ours takes. Do not give them another
 * name in a query.
 */
const names = ['body', 'form', 'report', 'event', 'update', 'issues'] as const;

/** Parses the columns of JSON in every row that is read, so that a value comes back as it was given. */
export class JsonColumns implements KyselyPlugin {
  transformQuery({ node }: { readonly node: RootOperationNode }): RootOperationNode {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return { ...result, rows: result.rows.map(parseRow) };
  }
}

function parseRow(row: UnknownRow): UnknownRow {
  const parsed = { ...row };
  for (const name of names) {
    const text = parsed[name];
    if (typeof text === 'string') parsed[name] = JSON.parse(text);
  }
  return parsed;
}
