import type { Templates } from './database/simulatedTables.ts';
import { Simulation, Violation } from './kernel/simulation.ts';
import { Story } from './kernel/story.ts';
import type { Figures, Plan, Scenario } from './scenario.ts';

/** The outcome of one run. */
export interface Run {
  seed: number;
  /** Digest of everything that happened; two runs of one seed and plan have the same digest. */
  digest: string;
  steps: number;
  simulatedMs: number;
  figures: Figures | null;
  /** The promise that did not hold; null if all did. */
  broken: { promise: string; observed: string } | null;
  story: readonly string[];
}

/** Runs one seed. @param plan replaces the plan of the seed, for shrinking */
export async function runSeed(scenario: Scenario, templates: Templates, seed: number, hours: number, plan?: Plan): Promise<Run> {
  const story = new Story();
  const simulation = new Simulation(seed, story);
  const { url, remove } = await templates.clone();
  let figures: Figures | null = null;
  let broken: Run['broken'] = null;
  try {
    figures = await scenario.run(simulation, url, plan ?? scenario.plan(simulation, hours));
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    broken = { promise: error.promise, observed: error.message };
  } finally {
    await remove();
  }
  return { seed, digest: story.digest(), steps: simulation.steps, simulatedMs: simulation.nowMs, figures, broken, story: story.lines };
}
