import { startVitest } from 'vitest/node';

await startVitest('test', [], { root: import.meta.dirname, watch: false });
