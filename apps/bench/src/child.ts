/** A child process of `startProcess`: starts the module that its first argument names, then answers calls. */
import process from 'node:process';

const [module = '', settings = ''] = process.argv.slice(2);
// A parent that was killed leaves no child behind.
process.on('disconnect', () => process.exit());
const { start } = await import(module);
const api = await start(JSON.parse(settings));
process.on('message', async ({ name, args }: { readonly name: string; readonly args: unknown[] }) => {
  try {
    process.send?.({ result: await api[name](...args) });
  } catch (error) {
    process.send?.({ error });
  }
});
process.send?.({ result: undefined });
