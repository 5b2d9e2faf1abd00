import { expect, it } from 'vitest';
import { sharedNames } from './sharedNames.ts';

it('finds the names that several entries have, and not the entries without a name', () => {
  expect([...sharedNames(['Bolt', 'Nut', 'Bolt', 'Bolt', null, null, ''])]).toEqual(['Bolt']);
  expect(sharedNames([]).size).toBe(0);
});
