import { Readable } from 'node:stream';
import { collectBlobs } from '@vouch/platform/blobs/collectBlobs';
import { openStore } from '@vouch/platform/blobs/storeOwner';
import { platformMigrations } from '@vouch/platform/database/migrate';
import { Cluster, type Member, type Program } from '../cluster.ts';
import { DatabaseServer } from '../database/databaseServer.ts';
import { drawFaults } from '../faults.ts';
import type { Simulation } from '../kernel/simulation.ts';
import { tellLog } from '../kernel/tellLog.ts';
import type { Scenario } from '../scenario.ts';
import { SimulatedStore } from './simulatedStore.ts';

/** An upload: a blob is put, a row names it after a time, and the row is removed later. */
interface PlannedUpload {
  name: string;
  atMs: number;
  process: string;
  /** Few contents, so that the same content is put again while it waits for its removal. */
  content: string;
  commitAfterMs: number;
  removeAfterMs: number;
  /** Time in ms after the commit at which another row gets the name without a put; absent for none. */
  copyAfterMs?: number;
}

const processes = ['server-1', 'server-2', 'server-3'];
const hourMs = 3_600_000;
const collectEveryMs = 600_000;
/** Longest time in ms between a put and the row that names the blob; the collector allows one hour. */
const maxCommitMs = hourMs / 2;
/** Clocks of processes are wrong by at most this time in ms. */
const maxClockStepMs = 300_000;
/** Time in ms without faults after which no blob without a name may be left: hour and day of the collector, twice. */
const restMs = 60 * hourMs;
const references = ['SELECT blob FROM simulation_files'];
const contents = Array.from({ length: 25 }, (_, at) => `content ${at}`);

/** Blobs: three servers that upload, remove and collect, with a store that fails. */
export const blobsScenario: Scenario<PlannedUpload> = {
  name: 'blobs',
  hours: 100,
  migrations: [platformMigrations],
  tables: 'CREATE TABLE simulation_files (id text PRIMARY KEY, blob text NOT NULL)',
  plan(simulation, hours) {
    const untilMs = hours * hourMs;
    const random = simulation.randomFor('uploads');
    const faults = drawFaults(simulation.randomFor('faults'), { processes, untilMs, everyMs: hourMs / 4 });
    const moment = (most: number): number => Math.floor(most * random.uniform() ** 2);
    return {
      untilMs,
      work: Array.from({ length: Math.ceil(hours * 2) }, (_, at) => ({
        name: `file ${at + 1}`, atMs: Math.floor(random.uniform() * untilMs), process: random.pick(processes), content: random.pick(contents),
        commitAfterMs: moment(maxCommitMs), removeAfterMs: moment(20 * hourMs), ...(random.uniform() < 0.2 ? { copyAfterMs: moment(20 * hourMs) } : {}),
      })),
      faults: faults.map((fault) => ('stepMs' in fault ? { ...fault, stepMs: fault.stepMs % maxClockStepMs } : fault)),
    };
  },
  async run(simulation, url, plan) {
    const server = await DatabaseServer.open(simulation, url);
    try {
      const store = new SimulatedStore(simulation);
      const named = watchNames(simulation, server, store);
      const programs = new Map<string, Program>(processes.map((name) => [name, async (member) => {
        // As at the start of a server, before its first upload. A server that cannot open the store ends, and is started again.
        const { owner } = await openStore({ ...member.process.system, blobs: store.connect(member.process), database: member.database, references });
        simulation.story.tell(name, `opens the store, which belongs to ${owner}`);
        for (const upload of plan.work.filter((each) => each.process === name && each.atMs >= simulation.nowMs)) member.process.after(upload.atMs - simulation.nowMs, () => void carryOut(member, store, upload));
        void collectRepeatedly(member, store);
      }]));
      const cluster: Cluster = new Cluster(simulation, server, programs);
      const random = simulation.randomFor('store');
      for (let atMs = 0; atMs < plan.untilMs; atMs += 5 * hourMs * random.uniform()) simulation.after(atMs, () => store.fail(random.uniform() * hourMs));
      cluster.start();
      cluster.plan(plan.faults);
      await simulation.run(plan.untilMs + restMs);
      const left = store.names.filter((name) => !named().has(name));
      if (left.length > 0) simulation.report('A blob without a name is removed', left.join(', '));
      simulation.throwIfBroken();
      return { statements: server.statements, counts: { named: named().size, stored: store.names.length } };
    } finally {
      await server.close();
    }
  },
};

/** Checks after each commit and each removal that the store has each named blob. @returns the current names */
function watchNames(simulation: Simulation, server: DatabaseServer, store: SimulatedStore): () => ReadonlySet<string> {
  let named = new Set<string>();
  server.uninspected = /blob_tombstones|UPDATE installation/;
  server.inspect = async (control, actors) => {
    const { rows } = await control.query<{ blob: string }>('SELECT DISTINCT blob FROM simulation_files');
    named = new Set(rows.map(({ blob }) => blob));
    const missing = [...named].find((name) => !store.has(name));
    if (missing !== undefined) simulation.report('The store has each blob that a row names', `${missing.slice(0, 16)}, named by ${actors.join(', ')}`);
  };
  store.removed = (name, by) => {
    simulation.story.tell(by, `removes ${name.slice(0, 16)}`);
    if (named.has(name)) simulation.report('The store has each blob that a row names', `${name.slice(0, 16)} was removed by ${by}`);
  };
  return () => named;
}

async function carryOut({ process, database }: Member, store: SimulatedStore, { name, content, commitAfterMs, removeAfterMs, copyAfterMs }: PlannedUpload): Promise<void> {
  const { timers } = process.system;
  const { story } = process.simulation;
  try {
    const blob = await store.connect(process).putStream(Readable.from([Buffer.from(content)]));
    await timers.sleep(commitAfterMs);
    await database.query('INSERT INTO simulation_files (id, blob) VALUES ($1, $2)', [name, blob.name]);
    story.tell(process.name, `names ${blob.name.slice(0, 16)}`);
    if (copyAfterMs !== undefined) void copy();
    await timers.sleep(removeAfterMs);
    await database.query('DELETE FROM simulation_files WHERE id = $1', [name]);
  } catch (error) {
    story.tell(process.name, `${name} fails: ${(error as Error).message.slice(0, 60)}`);
  }
  async function copy(): Promise<void> {
    await timers.sleep(copyAfterMs!);
    await database.query('INSERT INTO simulation_files (id, blob) SELECT $1, blob FROM simulation_files WHERE id = $2', [`copy of ${name}`, name]).catch(() => {});
    await timers.sleep(removeAfterMs);
    await database.query('DELETE FROM simulation_files WHERE id = $1', [`copy of ${name}`]).catch(() => {});
  }
}

async function collectRepeatedly({ process, database }: Member, store: SimulatedStore): Promise<void> {
  const { clock, timers, random } = process.system;
  for (;;) {
    await timers.sleep(collectEveryMs);
    await collectBlobs({ blobs: store.connect(process), database, random, clock, log: tellLog(process), references })
      .catch((error: unknown) => process.simulation.story.tell(process.name, `cannot collect: ${(error as Error).message.slice(0, 60)}`));
  }
}
