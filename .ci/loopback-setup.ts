/** A setup file of vitest: watches each test file for what was refused, by itself or by what it started. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, inject } from 'vitest';
import { failOnRefusals, startRecord } from './loopback-watch.ts';

startRecord(join(inject('loopbackRecords'), `${randomUUID()}.jsonl`));
afterEach(failOnRefusals);
afterAll(failOnRefusals);
