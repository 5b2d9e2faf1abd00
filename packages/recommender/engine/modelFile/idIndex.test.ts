import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildIdIndex, findNode, hashBytes } from './idIndex.ts';

function indexOf(ids: string[], hash: (bytes: Uint8Array) => number) {
  const sorted = ids.map((id) => Buffer.from(id)).sort((a, b) => a.compare(b));
  const table = buildIdIndex(sorted.length, (node) => hash(sorted[node] ?? Buffer.alloc(0)));
  const find = (id: string) => {
    const wanted = Buffer.from(id);
    let compared = 0;
    const node = findNode(table, sorted.length, hash(wanted), (at) => {
      compared += 1;
      return (sorted[at] ?? Buffer.alloc(0)).compare(wanted);
    });
    return { id: node < 0 ? null : sorted[node]?.toString(), compared };
  };
  return { find };
}

const ids = fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 200 });
const ownHash = (bytes: Uint8Array) => hashBytes(bytes, 0, bytes.length);

describe('the id index', () => {
  test('finds every id and no other', () => {
    fc.assert(
      fc.property(ids, fc.string(), (known, other) => {
        const index = indexOf(known, ownHash);
        for (const id of known) expect(index.find(id).id).toBe(id);
        if (!known.includes(other)) expect(index.find(other).id).toBeNull();
      }),
    );
  });

  test('finds every id when all of them collide, in a bounded number of comparisons', () => {
    const known = Array.from({ length: 5000 }, (_, at) => `id ${at}`);
    const index = indexOf(known, () => 12345);
    for (const id of known) {
      const found = index.find(id);
      expect(found.id).toBe(id);
      expect(found.compared).toBeLessThanOrEqual(32 + 13);
    }
    expect(index.find('id 5000')).toEqual({ id: null, compared: expect.toSatisfy((n: number) => n <= 32 + 13) });
  });

  test('spreads ids that differ in one character only', () => {
    const slots = new Set(Array.from({ length: 1000 }, (_, at) => ownHash(Buffer.from(`user-${at}`)) & 2047));
    // 1,000 uniform random ids in 2,048 slots occupy 792 distinct slots on average.
    expect(slots.size).toBeGreaterThan(700);
  });

  test('hashes only the given range', () => {
    expect(hashBytes(Buffer.from('xxabcyy'), 2, 5)).toBe(hashBytes(Buffer.from('abc'), 0, 3));
  });
});
