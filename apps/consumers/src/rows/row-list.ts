import { aloneRows } from './alone-rows.ts';
import { bundleRows } from './bundle-rows.ts';
import { installerRows } from './installer-rows.ts';
import { nodeRows } from './node-rows.ts';
import type { Row } from './row.ts';
import { runtimeRows } from './runtime-rows.ts';
import { typeRows } from './type-rows.ts';

/** Every kind of consumer. */
export const rows: readonly Row[] = [
  ...aloneRows,
  ...installerRows,
  ...nodeRows,
  ...runtimeRows,
  ...bundleRows,
  ...typeRows,
];
