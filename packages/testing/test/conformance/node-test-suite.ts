import { after, test } from 'node:test';
import { registerConformance } from '@orders/testing/conformance';
import { startIndependentService } from './independent-service.ts';

const service = await startIndependentService('refuses-hooks-as-string');
after(() => service[Symbol.asyncDispose]());
registerConformance(test, { ...service.options, skip: ['accepts-hooks'] });
