/**
 * Divides one progress from 0 to 1 among tasks by their weights.
 * @returns one function per task, which hears that task's own share from 0 to 1
 */
export function splitProgress(weights: readonly number[], progress: (share: number) => void): ((share: number) => void)[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map(() => 0);
  let told = 0;
  return weights.map((_, task) => (share) => {
    shares[task] = Math.max(shares[task]!, Math.min(1, share));
    const sum = total === 0 ? 1 : shares.reduce((done, own, index) => done + own * weights[index]!, 0) / total;
    // Sums of fractions come out as 0.9999…; progress never goes back.
    told = Math.max(told, sum > 1 - 1e-9 ? 1 : sum);
    progress(told);
  });
}
