import { registerHooks } from 'node:module';

// A Node whose zlib lacks what undici needs, as that of Node 20 does: for modules that are imported after this one.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:zlib'
      ? { url: 'data:text/javascript,export default {}', format: 'module', shortCircuit: true }
      : next(specifier, context),
});
