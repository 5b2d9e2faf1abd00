import type { Cluster } from './cluster.ts';
import type { Simulation } from './kernel/simulation.ts';
import type { Plan } from './scenario.ts';

/** The checks of a scenario that do not follow from a single commit. */
interface EndMonitor {
  /** Whether all work has ended. */
  readonly allEnded: boolean;
  /** Checks what must happen within a time. @param workers processes of which one must do the work */
  checkProgress(workers: readonly string[]): void;
  checkEnds(): void;
}

/** Simulated time in ms between two checks of the progress. */
const checkMs = 10_000;

/**
 * Runs a cluster with the faults of a plan, and then without faults until all work has ended.
 * @param options `restMs`: longest time in ms without faults
 * @throws Violation
 */
export async function runToEnd(
  simulation: Simulation, { untilMs, faults }: Pick<Plan, 'untilMs' | 'faults'>,
  { cluster, monitor, workers, restMs }: { cluster: Cluster; monitor: EndMonitor; workers: readonly string[]; restMs: number },
): Promise<void> {
  cluster.start();
  cluster.plan(faults);
  const check = (): void => {
    monitor.checkProgress(workers);
    simulation.after(checkMs, check);
  };
  simulation.after(checkMs, check);
  await simulation.run(untilMs);
  await simulation.run(untilMs + restMs, () => monitor.allEnded);
  monitor.checkEnds();
  simulation.throwIfBroken();
}
