import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformMigrations } from '@vouch/platform/database/migrate';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { startWorker } from '@vouch/platform/jobs/worker';
import { removeBatches } from '@vouch/recommender/batches/batchStore';
import { EventWriter } from '@vouch/recommender/events/eventWriter';
import { foldJob, startFolding } from '@vouch/recommender/events/fold.job';
import { foldEvents, foldTagged } from '@vouch/recommender/events/foldEvents';
import { EventFollower, followEvents } from '@vouch/recommender/events/followEvents';
import { RecentEvents } from '@vouch/recommender/events/recentEvents';
import { recommender } from '@vouch/recommender/product';
import { SimulatedStore } from '../blobs/simulatedStore.ts';
import { Cluster, type Member, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawFaults } from '../faults.ts';
import { tellLog } from '../kernel/tellLog.ts';
import { runToEnd } from '../runToEnd.ts';
import type { Scenario } from '../scenario.ts';
import { EventsMonitor } from './eventsMonitor.ts';
import { drawRequests, entities, eventsOf, type PlannedRequest } from './requests.ts';
import { simulatedConverters } from './simulatedConverters.ts';

const servers = ['server-1', 'server-2', 'server-3'];
const requestsPerHour = 3_000;
const faultsEveryMs = 8_000;
/** Time in ms without faults at the end of a run. */
const restMs = 600_000;
/** Longest time in ms between two checks of the queue, and of the events. Production uses 1 s and 0.5 s; most of a run would then be checks without a result. */
const pollMs = 5_000;
/** Time in ms after which a client without an answer repeats its request at another server, and how often. */
const patienceMs = 20_000;
const maxAttempts = 5;
/** Networks are at most this many times as slow: production gives a statement up after a time, and the simulation lets a slow message arrive. */
const maxSlowness = 20;

/** Carries out a request on a server. Rejects if the client would get an error. */
type Perform = (request: PlannedRequest) => Promise<void>;

/** Events: three servers that store, remember, fold and delete them. */
export const eventsScenario: Scenario<PlannedRequest> = {
  name: 'events',
  hours: 0.1,
  migrations: [platformMigrations, { product: recommender.name, folder: recommender.migrations }],
  tables: '',
  plan(simulation, hours) {
    const untilMs = hours * 3_600_000;
    return {
      untilMs,
      work: drawRequests(simulation.randomFor('requests'), { count: Math.ceil(hours * requestsPerHour), untilMs: untilMs * 0.9, servers }),
      faults: drawFaults(simulation.randomFor('faults'), { processes: servers, untilMs, everyMs: faultsEveryMs })
        .map((fault) => (fault.kind === 'slow' ? { ...fault, factor: Math.min(fault.factor, maxSlowness) } : fault)),
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    const scratch = await mkdtemp(join(tmpdir(), 'vouch-simulation-'));
    try {
      const store = new SimulatedStore(simulation);
      const monitor: EventsMonitor = new EventsMonitor(simulation, server, () => cluster, store);
      const performs = new Map<string, Perform>();
      const programs = new Map<string, Program>(servers.map((name) => [name, async (member) => {
        const perform = await runServer(member, { monitor, store, scratch: join(scratch, name) });
        performs.set(name, perform);
        // Clients that waited for the server ask at once.
        for (const organization of ['north', 'south']) {
          for (const entity of entities) member.process.after(member.process.random.uniform() * 20, () => void perform({ name: 'waiting', atMs: 0, server: name, organization, does: { what: 'ask', entity } }).catch(() => {}));
        }
        member.process.onKill(() => performs.delete(name));
      }]));
      const cluster: Cluster = new Cluster(simulation, server, programs);
      for (const request of plan.work) simulation.after(request.atMs, () => send(request));
      await runToEnd(simulation, plan, { cluster, monitor, workers: servers, restMs });
      return { statements: server.statements, counts: monitor.counts };

      function send(request: PlannedRequest): void {
        const ended = monitor.send(request);
        // A repeated request without ids of events would take effect at two times.
        const most = request.does.what === 'interact' ? maxAttempts : 1;
        let isOver = false;
        const end = (how: () => void): void => {
          if (!isOver) how();
          isOver = true;
        };
        const attempt = (number: number): void => {
          if (isOver) return;
          if (number === most) return end(ended.failed);
          const name = servers[(servers.indexOf(request.server) + number) % servers.length]!;
          const perform = performs.get(name);
          if (perform === undefined) return simulation.after(patienceMs / 4, () => attempt(number + 1));
          const { process } = cluster.member(name)!;
          const life = `${name} ${process.startedAtMs}`;
          let isTried = false;
          const again = (): void => {
            if (isTried) return;
            isTried = true;
            simulation.after(1_000, () => attempt(number + 1));
          };
          if (most > 1) simulation.after(patienceMs, again);
          process.onKill(again);
          process.after(process.random.uniform() * 10, () => void perform(request).then(() => process.after(process.random.uniform() * 10, () => end(() => ended.answered(life))), again));
        };
        attempt(0);
      }
    } finally {
      await server.close();
      await rm(scratch, { recursive: true, force: true });
    }
  },
};

async function runServer({ process, database }: Member, { monitor, store, scratch }: { monitor: EventsMonitor; store: SimulatedStore; scratch: string }): Promise<Perform> {
  const { system } = process;
  await mkdir(scratch, { recursive: true });
  const log = tellLog(process);
  const platform = { ...system, blobs: store.connect(process), database, jobs: createJobQueue(database, system), log, scratch };
  const kinds = [foldJob(platform, () => simulatedConverters)];
  platform.jobs.register(kinds);
  const recent = new RecentEvents();
  const writer = new EventWriter(database, system.clock, recent);
  const follower = new EventFollower(platform, recent);
  monitor.begin(process.name, `${process.name} ${process.startedAtMs}`, recent);
  followEvents(platform, follower, pollMs);
  startFolding(platform);
  await startWorker({ database, kinds, system, log, scratch, pollMs });
  return async (request) => {
    const { organization, does } = request;
    const events = eventsOf(request, system.clock.now());
    const signal = new AbortController().signal;
    switch (does.what) {
      case 'ask':
        // As the cache of models does before it opens a model.
        await follower.catchUp();
        return monitor.tell(process.name, organization, does.entity, recent.of(organization).hidden.has(does.entity));
      case 'fold':
        return void await foldEvents(platform, organization, { scratch, signal, converters: simulatedConverters });
      case 'erase':
        await foldTagged(platform, organization, [does.tag], simulatedConverters);
        return void await database.transaction((transaction) => removeBatches(transaction, organization, { batchId: null, tags: [does.tag] }));
      case 'interact':
        if (does.inCallersTransaction) return (await database.transaction((transaction) => writer.writeIn(transaction, events))).show();
        return void await writer.write(organization, events);
      default:
        await writer.write(organization, events);
    }
  };
}
