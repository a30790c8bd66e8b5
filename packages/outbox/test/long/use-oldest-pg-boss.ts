import { registerHooks } from 'node:module';

// Loaded before everything else by `--import`: the outbox then runs on the oldest pg-boss that it supports.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'pg-boss' ? 'pg-boss-oldest' : specifier, context),
});
