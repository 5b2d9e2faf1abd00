import { expect, test } from 'vitest';
import { hostInUrl } from './hostInUrl.ts';

test.each([['0.0.0.0', 'localhost'], ['::', 'localhost'], ['::1', '[::1]'], ['127.0.0.1', '127.0.0.1'], ['vouch.example', 'vouch.example']])('a server that listens on %s is at %s', (host, shown) => {
  expect(hostInUrl(host)).toBe(shown);
});
