import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { platformMigrations } from '@vouch/platform/database/migrate';
import type { JobContext, JobKind } from '@vouch/platform/jobs/job';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { startWorker } from '@vouch/platform/jobs/worker';
import { Cluster, type Member, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawFaults } from '../faults.ts';
import { tellLog } from '../kernel/tellLog.ts';
import { runToEnd } from '../runToEnd.ts';
import type { Scenario } from '../scenario.ts';
import { JobsMonitor, organizationLimit } from './jobsMonitor.ts';
import { drawJobs, kindNames, maxAttempts, stageNames, type PlannedJob } from './workload.ts';

const workers = ['worker-1', 'worker-2', 'worker-3'];
const servers = ['server-1', 'server-2'];
/** Time in ms without faults at the end of a run in which all jobs must end. */
const restMs = 4 * 3_600_000;
/** Longest time in ms between two checks of the queue. Production uses 1 s; most of a run would then be checks of an empty queue. */
const pollMs = 8_000;

/** The job queue: two servers that create and cancel jobs, three workers that run them. */
export const jobsScenario: Scenario<PlannedJob> = {
  name: 'jobs',
  hours: 0.1,
  migrations: [platformMigrations],
  tables: `CREATE TABLE simulation_effects (id bigserial PRIMARY KEY, job uuid NOT NULL, what text NOT NULL)`,
  plan(simulation, hours) {
    const untilMs = hours * 3_600_000;
    return {
      untilMs,
      work: drawJobs(simulation.randomFor('jobs'), { count: Math.ceil(hours * 300), untilMs: untilMs * 0.9, servers }),
      faults: drawFaults(simulation.randomFor('faults'), { processes: [...workers, ...servers], untilMs, everyMs: 8_000 }),
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    const scratch = await mkdtemp(join(tmpdir(), 'vouch-simulation-'));
    try {
      const monitor: JobsMonitor = new JobsMonitor(simulation, server, () => cluster);
      const programs = new Map<string, Program>();
      for (const name of workers) programs.set(name, (member) => runWorker(member, monitor, join(scratch, name)));
      for (const name of servers) programs.set(name, async (member) => runServer(member, monitor, plan.work.filter((job) => job.server === name && job.atMs >= simulation.nowMs)));
      const cluster: Cluster = new Cluster(simulation, server, programs);
      await runToEnd(simulation, plan, { cluster, monitor, workers, restMs });
      return { statements: server.statements, counts: monitor.counts };
    } finally {
      await server.close();
      await rm(scratch, { recursive: true, force: true });
    }
  },
};

async function runWorker({ process, database }: Member, monitor: JobsMonitor, scratch: string): Promise<void> {
  monitor.forget(process.name);
  await startWorker({ database, kinds: kinds(process.name, process.system.timers, monitor), system: process.system, log: tellLog(process), scratch, organizationLimit, pollMs });
}

function kinds(process: string, timers: Member['process']['system']['timers'], monitor: JobsMonitor): JobKind[] {
  const ended: JobKind['ended'] = async (transaction, job) => void await transaction.query(`INSERT INTO simulation_effects (job, what) VALUES ($1, 'ended')`, [job.id]);
  return kindNames.map((name) => ({
    name, concurrency: name === 'analysis' ? 2 : 1, maxAttempts, ended,
    stages: stageNames.map((stage) => ({ name: stage, share: 1 / stageNames.length })),
    run: (context) => runJob(context, process, timers, monitor),
  }));
}

async function runJob(context: JobContext, process: string, timers: Member['process']['system']['timers'], monitor: JobsMonitor): ReturnType<JobKind['run']> {
  const { job, signal } = context;
  const { stagesMs, behaviour } = job.input as PlannedJob;
  for (const [at, stage] of stageNames.entries()) {
    await context.stage(stage, async () => {
      const end = monitor.begin(job.id, stage, { process, signal });
      await timers.sleep(stagesMs[at]! / 2, signal);
      if (!signal.aborted) context.progress(0.5);
      await timers.sleep(stagesMs[at]! / 2, signal);
      end();
      signal.throwIfAborted();
      if (at === 1 && behaviour.does === 'refuses') throw platformErrors.problem('not-found', 'The input of the job does not exist.');
      if (at === 1 && behaviour.does === 'throws' && monitor.thrownBy(job.id) < behaviour.times) throw new Error(`error ${monitor.countThrown(job.id)} of the work`);
      return { by: `${process} ${job.attempt}` };
    });
  }
  return async (transaction) => void await transaction.query(`INSERT INTO simulation_effects (job, what) VALUES ($1, 'completed')`, [job.id]);
}

async function runServer({ process, database }: Member, monitor: JobsMonitor, jobs: readonly PlannedJob[]): Promise<void> {
  const queue = createJobQueue(database, process.system);
  queue.register(kinds(process.name, process.system.timers, monitor));
  const { story } = process.simulation;
  for (const planned of jobs) process.after(planned.atMs - process.simulation.nowMs, () => void create(planned).catch((error: unknown) => story.tell(process.name, `${planned.name} is not acknowledged: ${(error as Error).message.slice(0, 60)}`)));

  async function create(planned: PlannedJob): Promise<void> {
    const { name, kind, organization, serialKey, cancelAfterMs } = planned;
    const { id } = await database.transaction((transaction) => queue.enqueue(transaction, { organizationId: organization, kind, subject: name, input: planned, ...(serialKey === undefined ? {} : { serialKey }) }));
    monitor.acknowledged.set(id, planned);
    story.tell(process.name, `acknowledges ${name}`);
    if (cancelAfterMs === undefined) return;
    await process.system.timers.sleep(cancelAfterMs);
    monitor.cancelsSent.add(id);
    await queue.cancel(organization, id);
    story.tell(process.name, `acknowledges the cancellation of ${name}`);
  }
}

