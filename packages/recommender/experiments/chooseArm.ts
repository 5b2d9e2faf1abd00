import { createHash } from 'node:crypto';

export const armNames = ['a', 'b'] as const;
export type ArmName = (typeof armNames)[number];

/**
 * The arm of a user: always the same for one run of an experiment, and independent between runs.
 * @param share share of the users in arm b, from 0 to 1
 */
export function chooseArm(run: string, userId: string, share: number): ArmName {
  return hashUser(run, userId) / 2 ** 32 < share ? 'b' : 'a';
}

/** A number below 2^32 that depends on a run and a user. */
export function hashUser(run: string, userId: string): number {
  return createHash('sha256').update(`${run}/${userId}`).digest().readUInt32BE();
}
