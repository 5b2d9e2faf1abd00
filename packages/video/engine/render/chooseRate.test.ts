import { describe, expect, it } from 'vitest';
import { chooseRate } from './chooseRate.ts';

describe('the rate of a preview', () => {
  const rate = (numerator: number, denominator: number, variableFrameRate = false, requested?: number): string => {
    const chosen = chooseRate({ frameRate: { numerator, denominator }, variableFrameRate }, requested);
    return `${chosen.numerator}/${chosen.denominator}`;
  };

  it('is that of a constant source, as a whole share of it above 60 and a whole multiple below 10', () => {
    expect(rate(30_000, 1001)).toBe('30000/1001');
    expect(rate(60, 1)).toBe('60/1');
    expect(rate(60_000, 1001)).toBe('60000/1001');
    expect(rate(120, 1)).toBe('60/1');
    expect(rate(144, 1)).toBe('48/1');
    expect(rate(2, 1)).toBe('10/1');
    expect(rate(90_000, 1)).toBe('60/1');
  });

  it('is a common one for a variable source and for nonsense', () => {
    expect(rate(23_412, 1000, true)).toBe('24/1');
    expect(rate(30_100, 1000, true)).toBe('30/1');
    expect(rate(100, 1, true)).toBe('60/1');
    expect(rate(0, 0)).toBe('25/1');
  });

  it('is what was asked for', () => {
    expect(rate(25, 1, false, 29.97)).toBe('30000/1001');
    expect(rate(25, 1, false, 12.5)).toBe('25/2');
  });
});
