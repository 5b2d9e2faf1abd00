/**
 * Divides one progress from 0 to 1 among tasks in proportion to their weights.
 * @param progress receives the total progress, 0–1; never decreases
 * @returns one function per task, to call with the task's own progress from 0 to 1
 */
export function splitProgress(weights: readonly number[], progress: (share: number) => void): ((share: number) => void)[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map(() => 0);
  let told = 0;
  return weights.map((_, task) => (share) => {
    shares[task] = Math.max(shares[task]!, Math.min(1, share));
    const sum = total === 0 ? 1 : shares.reduce((done, own, index) => done + own * weights[index]!, 0) / total;
    // A complete sum of fractions may be 0.9999…; report 1, and never decrease.
    told = Math.max(told, sum > 1 - 1e-9 ? 1 : sum);
    progress(told);
  });
}
