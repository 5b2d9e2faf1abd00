import { describe, expect, it } from 'vitest';
import { admitClaims, quotaProblem } from './admitClaims.ts';
import type { GasClaim } from './budget.ts';

const signer = `0x${'ab'.repeat(20)}`;
const claim: GasClaim = { kind: 'claimer', signer, license: null, gas: 90_000 };
const noonMs = Date.UTC(2026, 0, 1, 12);

/** The answer to a claim under one budget per day, after some gas. */
function refuse(gasPerDay: number, spent: number): { sentence: string; retryAfter: number } {
  const [shortage] = admitClaims([claim], new Map([[`signer ${signer} claimer`, { reserved: 0, spent }]]), () => gasPerDay);
  const problem = quotaProblem(shortage!, noonMs) as Error & { detail: string; headers: Record<string, string> };
  return { sentence: problem.detail, retryAfter: Number(problem.headers['retry-after']) };
}

describe('the refusal of a message without budget', () => {
  it('states when the budget is free again', () => {
    expect(refuse(100_000, 20_000)).toEqual({
      sentence: expect.stringMatching(/20000 gas is spent.*2026-01-02T00:00:00Z\. Send the message again in 43200 s,/) as string, retryAfter: 43_200,
    });
  });

  it.each([0, 89_999])('names no time of a retry under a budget of %i gas, which the message alone exceeds', (gasPerDay) => {
    const { sentence } = refuse(gasPerDay, 0);
    expect(sentence).toMatch(/does not fit on any day\. Send the transaction to the contract directly, or ask the operator/);
    expect(sentence).not.toMatch(/again in|next day/);
  });
});
