import type { Run } from './runSeed.ts';
import type { Plan } from './scenario.ts';

/** A smaller plan that breaks the same promise, with its run. */
export interface Shrunk {
  plan: Plan;
  run: Run;
  tries: number;
}

/**
 * Removes faults and requests of a failing plan while the same promise stays broken: first halves, then smaller parts, at last single entries.
 * @param again runs a plan of the same seed
 */
export async function shrink(failing: { plan: Plan; run: Run }, again: (plan: Plan) => Promise<Run>, maxTries: number): Promise<Shrunk> {
  let best = failing;
  let tries = 0;
  const broken = failing.run.broken!.promise;
  async function attempt(plan: Plan): Promise<boolean> {
    tries += 1;
    const run = await again(plan);
    if (run.broken?.promise !== broken) return false;
    best = { plan, run };
    return true;
  }
  for (const list of ['faults', 'work', 'faults'] as const) {
    for (let size = Math.ceil(best.plan[list].length / 2); size >= 1 && tries < maxTries; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < best.plan[list].length && tries < maxTries;) {
        const rest = [...best.plan[list].slice(0, from), ...best.plan[list].slice(from + size)];
        if (!(await attempt({ ...best.plan, [list]: rest }))) from += size;
      }
    }
  }
  return { ...best, tries };
}
