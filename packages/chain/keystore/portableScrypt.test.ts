import { scryptSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { portableScrypt } from './portableScrypt.ts';

it.each([
  { n: 16, r: 1, p: 1 }, { n: 1_024, r: 8, p: 16 }, { n: 2, r: 3, p: 2 }, { n: 4_096, r: 8, p: 1 },
])('gives the bytes of the native scrypt where that takes the parameters: %j', (parameters) => {
  const salt = Buffer.from('NaCl');
  const { n, r, p } = parameters;
  expect(portableScrypt('Prüfung', salt, parameters, 64)).toEqual(scryptSync('Prüfung', salt, 64, { N: n, r, p }));
});
