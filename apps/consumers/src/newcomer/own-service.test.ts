import { expect, test } from 'vitest';
import { readServiceFacts, withOwnService } from './own-service.ts';

const curl = "curl -sS -X PATCH 'http://127.0.0.1:8402/v2/orders/ord_1' -u 'key_1:' -d '{}'";
const printed = `The order service is ready at http://127.0.0.1:8402
Orders:
  ord_1
  ord_2
Key, made for this run: key_1
Update an order:
  ${curl}
`;

test('reads where the service is, its key, an order and the line to paste', () => {
  const facts = { url: 'http://127.0.0.1:8402', key: 'key_1', token: 'ord_1', curl };
  expect(readServiceFacts(printed)).toEqual(facts);
});

test('says what the service did not print', () => {
  expect(() => readServiceFacts('Hello')).toThrow('orders mock did not print');
});

test('puts a service of one’s own in the place of the one that an example starts', () => {
  const example = [
    "import { createOrdersClient } from '@orders/client';",
    "import { startMockOrderService } from '@orders/testing'; // stands in",
    'const service = await startMockOrderService(); // yours instead',
    'use(service.url);',
    'await service.close();',
  ];
  expect(withOwnService(example.join('\n'), readServiceFacts(printed)).split('\n')).toEqual([
    "import { createOrdersClient } from '@orders/client';",
    'const service = {"url":"http://127.0.0.1:8402","key":"key_1","token":"ord_1"};',
    'use(service.url);',
  ]);
  expect(() => withOwnService('nothing', readServiceFacts(printed))).toThrow('starts no service');
});
