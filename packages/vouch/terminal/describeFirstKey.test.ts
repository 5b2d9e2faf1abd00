import { expect, test } from 'vitest';
import { describeFirstKey } from './describeFirstKey.ts';

test('the first key is shown on a terminal alone, and its file everywhere', () => {
  expect(describeFirstKey('vch_secret', '/srv/data/key', true)).toMatch(/^The first admin key: vch_secret\nThe first admin key is in \/srv\/data\/key,/);
  const piped = describeFirstKey('vch_secret', '/srv/data/key', false);
  expect(piped).toContain('/srv/data/key');
  expect(piped).not.toContain('vch_secret');
});
