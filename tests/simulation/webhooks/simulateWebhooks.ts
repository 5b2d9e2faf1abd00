import { platformMigrations } from '@vouch/platform/database/migrate';
import { createWebhooks } from '@vouch/platform/webhooks/createWebhooks';
import { Cluster, type Member, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawFaults } from '../faults.ts';
import { tellLog } from '../kernel/tellLog.ts';
import { runToEnd } from '../runToEnd.ts';
import type { Scenario } from '../scenario.ts';
import { Receivers } from './receivers.ts';
import { WebhooksMonitor } from './webhooksMonitor.ts';

/** A callback that a process records. */
interface PlannedCallback {
  name: string;
  atMs: number;
  process: string;
  organization: string;
  host: string;
  /** Whether the transaction is rolled back. */
  rolledBack: boolean;
}

const servers = ['server-1', 'server-2', 'server-3'];
/** Time in ms without faults at the end of a run; the backoff grows to hours only after many failures. */
const restMs = 6 * 3_600_000;
const callbacksPerHour = 400;
const faultsEveryMs = 10_000;

/** Webhooks: three servers that record and send callbacks. */
export const webhooksScenario: Scenario<PlannedCallback> = {
  name: 'webhooks',
  hours: 0.1,
  migrations: [platformMigrations],
  tables: '',
  plan(simulation, hours) {
    const untilMs = hours * 3_600_000;
    const random = simulation.randomFor('callbacks');
    const faults = drawFaults(simulation.randomFor('faults'), { processes: servers, untilMs, everyMs: faultsEveryMs });
    return {
      untilMs,
      work: Array.from({ length: Math.ceil(hours * callbacksPerHour) }, (_, at) => ({
        name: `callback ${at + 1}`, atMs: Math.floor(random.uniform() * untilMs * 0.9), process: random.pick(servers), organization: random.pick(['north', 'south']),
        host: `receiver-${1 + random.below(4)}.example`, rolledBack: random.uniform() < 0.1,
      })),
      faults,
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    try {
      const receivers = new Receivers(simulation, plan.untilMs);
      const monitor: WebhooksMonitor = new WebhooksMonitor(simulation, server, () => cluster, receivers);
      const programs = new Map<string, Program>(servers.map((name) => [name, (member) =>
        runServer(member, monitor, receivers, plan.work.filter((callback) => callback.process === name && callback.atMs >= simulation.nowMs))]));
      const cluster: Cluster = new Cluster(simulation, server, programs);
      await runToEnd(simulation, plan, { cluster, monitor, workers: servers, restMs });
      return { statements: server.statements, counts: monitor.counts };
    } finally {
      await server.close();
    }
  },
};

async function runServer({ process, database }: Member, monitor: WebhooksMonitor, receivers: Receivers, callbacks: readonly PlannedCallback[]): Promise<void> {
  const webhooks = createWebhooks({ database, outbound: receivers.connect(process), system: process.system, log: tellLog(process) });
  const { story } = process.simulation;
  const record = async ({ name, organization, host, rolledBack }: PlannedCallback): Promise<void> => {
    const id = await database.transaction(async (transaction) => {
      const given = await webhooks.enqueue(transaction, { organizationId: organization, url: `https://${host}/callbacks`, type: 'model.training.completed', data: { name } });
      if (!rolledBack) return given;
      monitor.rolledBack.add(given);
      throw new Error('the transaction is rolled back');
    });
    monitor.acknowledged.set(id, name);
  };
  for (const callback of callbacks) {
    process.after(callback.atMs - process.simulation.nowMs, () => void record(callback).catch((error: unknown) => story.tell(process.name, `${callback.name} is not recorded: ${(error as Error).message.slice(0, 60)}`)));
  }
  await webhooks.startSending();
}
