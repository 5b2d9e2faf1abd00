import { join } from 'node:path';
import { Client } from 'pg';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import type { Connection } from '@vouch/platform/database/database';
import { parseConnection } from '@vouch/platform/database/passfile';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { readParquet } from '@vouch/recommender/testing/readParquet';
import type { CrashSubject } from './killLoop.ts';
import type { Ledger } from './ledger.ts';
import { embeddedDatabase } from './place.ts';
import { clientOf, serveCommand, tell, untilReady, type VouchPlace } from './vouchSubjects.ts';

/** Number of concurrent senders. */
const lanes = 4;
const foldPauseMs = 50;

/**
 * Sends requests with up to 20 events, each event with an id, while trainings fold the events into batches. After the restart, a request without an
 * answer is repeated. Each event of a request must then be once in a batch or in the table of events.
 */
export function eventSubject(place: VouchPlace): CrashSubject<{ events: number }> {
  const client = clientOf(place);
  let next = 0;
  const send = (ledger: Ledger<{ events: number }>, id: string, events: number): Promise<void> => tell(ledger, id, 202, () => client.post('/v1/recommender/interactions', {
    interactions: Array.from({ length: events }, (_, at) => ({ id: `${id} ${at}`, source_id: id, target_id: `${id} ${at}` })),
  }));
  return {
    command: serveCommand(place),
    untilReady: (signal) => untilReady(place, signal),
    async drive(ledger, random, signal) {
      const lane = async (): Promise<void> => {
        while (!signal.aborted) {
          const id = `request-${next++}`;
          const events = 1 + random.below(20);
          ledger.begin(id, { events });
          await send(ledger, id, events);
        }
      };
      await Promise.all([...Array.from({ length: lanes }, lane), fold(signal)]);
    },
    async fetchEffects() {
      const targets = await readTargets(place);
      const ofRequest = new Map<string, Set<string>>();
      const effects: { id: string; effect: { events: number } }[] = [];
      for (const target of targets) {
        const id = target.split(' ')[0] ?? '';
        const known = ofRequest.get(id) ?? new Set();
        // An event that is there twice makes its request appear twice.
        if (known.has(target)) effects.push({ id, effect: { events: known.size } });
        ofRequest.set(id, known.add(target));
      }
      for (const [id, known] of ofRequest) effects.push({ id, effect: { events: known.size } });
      return effects;
    },
    findFault: (_id, { events }, intended) => (events === intended.events ? null : `it has ${events} of ${intended.events} events`),
    async afterRestart(ledger) {
      const open = [...ledger.entries()].filter(([, { state }]) => state === 'open');
      await Promise.all(open.map(([id, { effect }]) => send(ledger, id, effect.events)));
    },
  };

  /** Starts one training after the other. Each folds all events, and then ends, because no batch has its tag. */
  async function fold(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const started = await client.post('/v1/recommender/train', { model_id: 'none', data_tags: ['none'] }).catch(() => null);
      if (started?.status === 202) await client.untilEnded('none').catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, foldPauseMs));
    }
  }
}

/** Returns the targets of all interactions of an installation with an embedded database. */
async function readTargets(place: VouchPlace): Promise<string[]> {
  const database = new Client(parseConnection(await embeddedDatabase(place)));
  await database.connect();
  try {
    // One snapshot, because a training that a kill interrupted can go on folding.
    await database.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    return await listTargets(database, place);
  } finally {
    await database.end();
  }
}

/**
 * Returns the targets of all interactions and the ids of all entities, in batches and not. A target that is stored twice is there twice.
 * @param read targets of the blobs that were read before; this function adds the others
 */
export async function listTargets(database: Pick<Connection, 'query'>, { folder }: VouchPlace, read = new Map<string, readonly string[]>()): Promise<string[]> {
  const batches = await database.query<{ blob: string }>('SELECT blob FROM batches');
  const events = await database.query<{ target_id: string }>(
    'SELECT target_id FROM events LEFT JOIN event_folds USING (organization_id) WHERE sequence > coalesce(through, 0)');
  const blobs = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
  for (const { blob } of batches.rows) {
    if (read.has(blob)) continue;
    const rows = await readParquet(await blobs.localPath(blob));
    read.set(blob, rows.map((row) => String(row['target_id'] ?? row['id'])));
  }
  return [...batches.rows.flatMap(({ blob }) => read.get(blob) ?? []), ...events.rows.map((row) => row.target_id)];
}
