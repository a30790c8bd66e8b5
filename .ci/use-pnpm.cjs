/** Says in one line that npm, Yarn and Bun are not used here; in the syntax of the oldest Node that one may have. */
const process = require('node:process');

// Yarn runs this file in its own place (`.yarnrc.yml`).
if (!/^pnpm\//.test(process.env.npm_config_user_agent || '')) {
  process.stderr.write('Use pnpm 12 here: npx -y pnpm@12 start, or npx -y pnpm@12 test.\n');
  process.exit(1);
}
