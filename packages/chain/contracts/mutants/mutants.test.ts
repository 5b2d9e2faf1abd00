import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contractsFolder } from '../compiler/compile.ts';
import { mutants } from './mutants.ts';

describe('the hand-made faults of the contracts', () => {
  it('each change one place of one line', () => {
    const texts = new Map([...new Set(mutants.map(({ file }) => file))].map((file) => [file, readFileSync(join(contractsFolder, file), 'utf8')]));
    const faults = mutants.filter(({ file, find, replace }) => (texts.get(file) as string).split(find).length !== 2 || find === replace || /\n/.test(find + replace));
    expect(faults).toEqual([]);
  });

  it('are many, and no two of them the same', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(40);
    expect(new Set(mutants.map(({ file, find, replace }) => JSON.stringify([file, find, replace]))).size).toBe(mutants.length);
  });
});
