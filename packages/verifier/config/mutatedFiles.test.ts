import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharedFolder } from '../testing/runVerifier.ts';
import { ConfigurationFault } from './configurationFault.ts';
import { loadConfiguration } from './loadConfiguration.ts';
import { showConfiguration } from './showConfiguration.ts';

const folder = sharedFolder();
const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const password = 'qwzxjkvqqzwx';
const example = readFileSync(fileURLToPath(new URL('../../../examples/verifier/verifier.yaml', import.meta.url)), 'utf8')
  .replace('mode: 2', 'mode: 1').replace('private_key: ""', `private_key: "${key}"`).replace('keystore_password: ""', `keystore_password: "${password}"`)
  .split('\n').filter((line) => !/^\s*#/.test(line)).join('\n');

/** A typing error in the file: a piece of text is deleted, duplicated or moved, or text is inserted. */
const slip = fc.record({
  at: fc.nat(example.length), length: fc.nat(40), to: fc.nat(example.length),
  typed: fc.oneof(fc.constantFrom('', '\t', '\n', ': ', '"', "'", '- ', '{', '}', '[', '&a ', '*a', '!!x ', '|', '>', '#', '%', '@', '---\n', '\u0000', '\ufeff', '0x', '-1', '1e400', '<<: '), fc.string({ maxLength: 6 })),
});

function slipped(text: string, { at, length, to, typed }: { at: number; length: number; to: number; typed: string }): string {
  // Moves at most 7 characters: a program cannot recognize such a short piece as part of a key, so messages may show it.
  const piece = text.slice(at, at + Math.min(length, 7));
  const without = text.slice(0, at) + typed + text.slice(at + length);
  return to % 3 === 0 ? without.slice(0, to) + piece + without.slice(to) : without;
}

/** Loads a file and returns everything that the program would print about it. */
function said(text: string): { kind: 'taken' | 'refused'; text: string } {
  const path = join(folder, 'mutated.yaml');
  writeFileSync(path, text, { mode: 0o600 });
  try {
    const loaded = loadConfiguration({ '-conf': path });
    return { kind: 'taken', text: JSON.stringify([showConfiguration(loaded), loaded.warnings, loaded.missingKey]) };
  } catch (error) {
    if (error instanceof ConfigurationFault) return { kind: 'refused', text: error.message + JSON.stringify(error.warnings) };
    throw error;
  }
}

it('is said in sentences that hold neither key nor password, whatever slip was made in a file', () => {
  const counts = { taken: 0, refused: 0 };
  fc.assert(fc.property(fc.array(slip, { minLength: 1, maxLength: 3 }), (slips) => {
    const { kind, text } = said(slips.reduce(slipped, example));
    counts[kind] += 1;
    expect(text).not.toMatch(/4c0883a69102937d|d6231471b5dbb620|fe5129617082792a|e468d01a3f362318/);
    expect(text).not.toContain(password.slice(0, 8));
    expect(text).not.toMatch(/\n\s+at /);
  }), { numRuns: 1_000, seed: 20_261_121 });
  // Guards the test itself: enough mutated files are accepted and enough are rejected.
  expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(40);
});
