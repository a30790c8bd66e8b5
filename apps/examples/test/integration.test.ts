import '../integration.test.ts';
