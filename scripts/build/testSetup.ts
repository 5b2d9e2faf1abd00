import { buildWhereChanged } from './build.js';

/** Global set-up of all tests: programs that a test starts as processes and threads run from `dist/`, built once. */
export default async function setup(): Promise<void> {
  process.env['VOUCH_TEST_PROGRAMS'] = await buildWhereChanged();
}
