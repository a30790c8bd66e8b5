import { readFileSync, writeFileSync } from 'node:fs';
import { OrderUpdate } from '../src/index.ts';
import { toJsonSchema } from '../src/json-schema.ts';
import { openApiDocument } from './open-api.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

function write(name: string, document: object): void {
  writeFileSync(new URL(`../dist/${name}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}

write('order-update.schema.json', {
  title: 'OrderUpdate',
  description: 'The body of an order update.',
  ...toJsonSchema(OrderUpdate),
});
write('openapi.json', openApiDocument(version));
