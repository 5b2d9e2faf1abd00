#!/usr/bin/env node
// `vouch` of a checkout (npm start, npm run demo, npx vouch): builds dist/ where the sources were changed, then runs it.
import { buildWhereChanged, CompilerMissing } from '../../../scripts/build/build.js';

try {
  await buildWhereChanged();
} catch (error) {
  if (!(error instanceof CompilerMissing)) throw error;
  console.error(`vouch: ${error.message}`);
  process.exit(1);
}
await import('../../../dist/vouch.js');
