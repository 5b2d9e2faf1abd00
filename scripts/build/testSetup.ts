import { buildWhereChanged } from './build.js';

/** Global set-up of all tests: builds `dist/` once. Tests start their processes and threads from `dist/`. */
export default async function setup(): Promise<void> {
  process.env['VOUCH_TEST_PROGRAMS'] = await buildWhereChanged();
}
