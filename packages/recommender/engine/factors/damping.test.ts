import { describe, expect, it } from 'vitest';
import { nextDamping, noDamping, rootsOf, type Damping } from './damping.ts';

const valueOf = (damping: Damping, eigenvalue: number): number => Math.abs(rootsOf(damping).reduce((product, root) => product * (eigenvalue - root), 1));

describe('nextDamping', () => {
  const flat = nextDamping(noDamping, { smallest: 1, largest: 2.5 });

  it('raises eigenvalues above the smallest of the block much more than the ones below', () => {
    expect(flat.degree).toBeGreaterThan(1);
    const wanted = valueOf(flat, 1.2);
    for (const below of [0, 0.3, 0.6, 0.9, 1]) expect(valueOf(flat, below)).toBeLessThan(wanted / 3);
    expect(1.2 ** flat.degree).toBeLessThan(3);
  });

  it('does not raise the strongest direction above what single precision resolves', () => {
    for (const largest of [1, 2.5, 10, 100, 400]) {
      const damping = nextDamping(noDamping, { smallest: 1, largest });
      expect(valueOf(damping, largest) / valueOf(damping, 1)).toBeLessThan(1001);
    }
    expect(nextDamping(noDamping, { smallest: 1, largest: 1000 })).toEqual(noDamping);
  });

  it('finds the eigenvalues that the values of the last polynomial belong to', () => {
    const next = nextDamping(flat, { smallest: valueOf(flat, 1.4), largest: valueOf(flat, 3) });
    expect(next.middle).toBeCloseTo(0.7);
    expect(nextDamping(flat, { smallest: valueOf(flat, 0.9), largest: valueOf(flat, 3) }).middle).toBeCloseTo(0.5);
  });

  it('multiplies once where columns depend on each other', () => {
    expect(rootsOf(nextDamping(noDamping, { smallest: 0, largest: 1 }))).toEqual([0]);
  });
});
