import { setTimeout as sleep } from 'node:timers/promises';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { connectVouch, expectStatus, type TrainingRecord, type VouchClient } from '../../../bench/harness/vouchClient.ts';
import { interactionRows } from '../../scale/largeFiles.ts';
import type { CrashSubject } from './killLoop.ts';
import type { Ledger } from './ledger.ts';
import type { ServiceCommand } from './service.ts';

/** Folder, port and key of a `vouch serve` that is repeatedly killed and restarted. */
export interface VouchPlace {
  folder: string;
  /** IP address on which the server listens; default 127.0.0.1. */
  host?: string;
  port: number;
  /** Admin key, at least 24 characters. */
  key: string;
  /** Path of the program; default: that of this checkout. */
  program?: string;
}

/** Number of concurrent uploads. */
const lanes = 3;

/**
 * Sends uploads, each with a unique tag and idempotency key. After the restart, an upload answered with 201 must be listed with
 * all of its rows. An upload without a response is repeated, as a careful client does, and must then exist once and completely.
 */
export function uploadSubject(place: VouchPlace): CrashSubject<{ rows: number }> {
  const client = clientOf(place);
  let next = 0;
  const upload = (ledger: Ledger<{ rows: number }>, id: string, rows: number): Promise<void> =>
    tell(ledger, id, 201, () => client.upload([{ name: `${id}.csv`, content: interactionRows(rows) }], [id], id));
  return {
    command: serveCommand(place),
    untilReady: (signal) => untilReady(place, signal),
    async drive(ledger, random, signal) {
      const lane = async (): Promise<void> => {
        while (!signal.aborted) {
          const id = `upload-${next++}`;
          const rows = 1 + random.below(20_000);
          ledger.begin(id, { rows });
          await upload(ledger, id, rows);
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
    },
    async fetchEffects() {
      const batches = await client.batches();
      return batches.map((batch) => ({ id: batch.tags[0] ?? batch.batch_id, effect: { rows: batch.interaction_count } }));
    },
    findFault: (_id, { rows }, intended) => (rows === intended.rows ? null : `it has ${rows} of ${intended.rows} rows`),
    async afterRestart(ledger) {
      const open = [...ledger.entries()].filter(([, { state }]) => state === 'open');
      await Promise.all(open.map(([id, { effect }]) => upload(ledger, id, effect.rows)));
    },
  };
}

/**
 * Starts trainings, each of a separate model, on existing data. After the restart, a training answered with 202 must be known and
 * must end by itself: completed, or with an error that has a reason. The effect of a training is its final status.
 * @param answeringModel model completed before the first kill; it must answer requests for the entity after each kill
 */
export function trainingSubject(place: VouchPlace, answeringModel: string, entityId: string): CrashSubject<string> {
  const client = clientOf(place);
  const begun: string[] = [];
  return {
    command: serveCommand(place),
    untilReady: (signal) => untilReady(place, signal),
    async drive(ledger, _random, signal) {
      while (!signal.aborted) {
        const id = `training-${begun.length}`;
        begun.push(id);
        ledger.begin(id, 'completed');
        await tell(ledger, id, 202, () => client.post('/v1/recommender/train', { model_id: id }));
        await untilEndedOr(signal, client, id);
      }
    },
    async fetchEffects() {
      const effects: { id: string; effect: string }[] = [];
      for (const id of begun) {
        const answer = await client.get(`/v1/recommender/${id}/status`);
        if (answer.status === 404) continue;
        expectStatus(answer, 200);
        const { status, error } = await client.untilEnded(id);
        effects.push({ id, effect: status === 'error' ? `error: ${error?.detail ?? ''}` : status });
      }
      return effects;
    },
    findFault: (_id, effect) => (effect === 'completed' || /^error: .{20}/.test(effect) ? null : `it ended with ${effect}`),
    async afterRestart() {
      const query = new URLSearchParams({ model_id: answeringModel, entity_id: entityId, output_format: 'json' });
      expectStatus(await client.get(`/v1/recommender/related_items?${query}`), 200);
    },
  };
}

export function clientOf({ port, key }: VouchPlace): VouchClient {
  return connectVouch(`http://127.0.0.1:${port}`, key);
}

export function serveCommand(place: VouchPlace): ServiceCommand {
  return {
    program: process.execPath,
    arguments: [vouchProgram, 'serve'],
    environment: { ...placeEnvironment(place), VOUCH_LOG_LEVEL: 'warn', VOUCH_JOB_LEASE_SECONDS: '4' },
  };
}

/** Returns the environment variables of a `vouch` for a place. */
export function placeEnvironment({ folder, host = '127.0.0.1', port, key }: VouchPlace): Record<string, string> {
  // An empty variable counts as unset: the place uses its embedded database.
  const own = { DATABASE_URL: '', VOUCH_DATA: folder, VOUCH_ADMIN_KEY: key };
  return { ...own, HOST: host, PORT: String(port), VOUCH_RATE_LIMIT: '0' };
}

/** Resolves when the server of a place accepts requests, or when the signal aborts. */
export async function untilReady({ host = '127.0.0.1', port }: VouchPlace, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (await fetch(`http://${host}:${port}/readyz`).then((answer) => answer.ok, () => false)) return;
    await sleep(20);
  }
}

/** Sends one request and records the response; records nothing if the connection broke or the server was draining. */
export async function tell<Effect>(ledger: Ledger<Effect>, id: string, done: number, send: () => Promise<{ status: number }>): Promise<void> {
  const answer = await send().catch(() => null);
  if (answer?.status === done) ledger.acknowledge(id);
  else if (answer !== null && answer.status < 500) ledger.refuse(id);
  // Without a server, every request fails at once: pauses to leave the CPU to the kill.
  else await sleep(20);
}

async function untilEndedOr(signal: AbortSignal, client: VouchClient, id: string): Promise<void> {
  while (!signal.aborted) {
    const record = await client.status(id).catch((): TrainingRecord | null => null);
    if (record !== null && record.status !== 'queued' && record.status !== 'running') return;
    await sleep(20);
  }
}
