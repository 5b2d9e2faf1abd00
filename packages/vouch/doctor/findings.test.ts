import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import { describe, expect, it } from 'vitest';
import { products } from '../wiring/products.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const catalogues = [platformFindings, ...products.map(({ findings }) => findings)];
const codes = catalogues.flatMap(({ entries }) => Object.keys(entries));
const sources = ['platform', 'recommender', 'video', 'gateway', 'vouch'].flatMap((name) => readdirSync(join(root, 'packages', name), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path: `${name}/${path}`, text: readFileSync(join(root, 'packages', name, path), 'utf8') })));
const checks = sources.filter(({ path }) => !/[fF]indings\.ts$/.test(path));

describe('each finding of vouch doctor', () => {
  it('has a code of its own, which a check reports', () => {
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
    expect(codes.filter((code) => !checks.some(({ text }) => text.includes(`'${code}'`)))).toEqual([]);
  });

  it('comes from a catalogue: no check makes a warning or a fault without a code', () => {
    const bare = checks.filter(({ text }) => /product\/findings'/.test(text) && /status: '(?:warning|fault)'/.test(text)).map(({ path }) => path);
    expect(bare).toEqual([]);
  });

  it('has an entry with cause and remedy in the documentation', () => {
    const page = readFileSync(join(root, 'docs/guides/doctor.md'), 'utf8');
    for (const { entries } of catalogues) {
      for (const [code, { title, status, cause, remedy }] of Object.entries(entries)) {
        expect(page).toContain(`### ${code}\n\n${title} (${status}).\n\n**Cause.** ${cause}\n\n**What to do.** ${remedy}\n`);
      }
    }
  });
});
