import { blobsScenario } from './blobs/simulateBlobs.ts';
import { createTemplate } from './database/simulatedTables.ts';
import { daysScenario } from './days/simulateDays.ts';
import { eventsScenario } from './events/simulateEvents.ts';
import { gatewayScenario } from './gateway/simulateGateway.ts';
import { jobsScenario } from './jobs/simulateJobs.ts';
import { Simulation } from './kernel/simulation.ts';
import { Story } from './kernel/story.ts';
import { nodesScenario } from './nodes/simulateNodes.ts';
import { runSeed, type Run } from './runSeed.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { webhooksScenario } from './webhooks/simulateWebhooks.ts';

/** What the program is told, as JSON in its only argument. */
export interface Order {
  /** Connection URL of a PostgreSQL server. */
  url: string;
  scenario: string;
  firstSeed: number;
  /** Number of seeds; the program stops at the first broken promise. */
  seeds: number;
  /** Simulated hours with faults; null for what the scenario usually takes. */
  hours: number | null;
  /** Largest number of runs for shrinking; 0 disables shrinking. */
  shrinkTries: number;
}

/** A line of the program's output. `shrunk` follows a `run` with a broken promise. */
export type Said =
  | { said: 'run'; run: Omit<Run, 'story'> & { story?: readonly string[] } }
  | { said: 'shrunk'; run: Run; faults: number; work: number; tries: number };

const scenarios: readonly Scenario[] = [jobsScenario as Scenario, gatewayScenario as Scenario, webhooksScenario as Scenario, blobsScenario as Scenario, eventsScenario as Scenario, nodesScenario as Scenario, daysScenario as Scenario];

async function main(order: Order): Promise<void> {
  const scenario = scenarios.find(({ name }) => name === order.scenario);
  if (scenario === undefined) throw new Error(`There is no scenario ${order.scenario}. There are: ${scenarios.map(({ name }) => name).join(', ')}.`);
  const hours = order.hours ?? scenario.hours;
  const templates = await createTemplate(order.url, scenario.migrations, scenario.tables);
  try {
    for (let seed = order.firstSeed; seed < order.firstSeed + order.seeds; seed += 1) {
      const run = await runSeed(scenario, templates, seed, hours);
      if (run.broken === null) {
        say({ said: 'run', run: { ...run, story: undefined } });
        continue;
      }
      say({ said: 'run', run });
      const plan = scenario.plan(new Simulation(seed, new Story()), hours);
      if (order.shrinkTries > 0) {
        const shrunk = await shrink({ plan, run }, (smaller) => runSeed(scenario, templates, seed, hours, smaller), order.shrinkTries);
        say({ said: 'shrunk', run: shrunk.run, faults: shrunk.plan.faults.length, work: shrunk.plan.work.length, tries: shrunk.tries });
      }
      return;
    }
  } finally {
    await templates.close();
  }
}

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

await main(JSON.parse(process.argv[2]!) as Order);
