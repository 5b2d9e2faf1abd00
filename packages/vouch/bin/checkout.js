#!/usr/bin/env node
// Runs `vouch` from a checkout (npm start, npm run demo, npx vouch): rebuilds dist/ if the sources have changed, then runs dist/.
import { buildWhereChanged, CompilerMissing } from '../../../scripts/build/build.js';

try {
  await buildWhereChanged();
} catch (error) {
  if (!(error instanceof CompilerMissing)) throw error;
  console.error(`vouch: ${error.message}`);
  process.exit(1);
}
await import('../../../dist/vouch.js');
