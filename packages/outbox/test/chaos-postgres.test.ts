import { testChaos } from './chaos-seeds.ts';

testChaos('postgres');
