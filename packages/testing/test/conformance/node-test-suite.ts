import { after, test } from 'node:test';
import { registerConformance } from '@orders/testing/conformance';
import { startOwnService } from './own-service.ts';

const { service, options } = await startOwnService();
after(() => service.close());
registerConformance(test, { ...options, skip: ['accepts-hooks'] });
