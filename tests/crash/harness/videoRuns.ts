import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, type VouchClient } from '../../../bench/harness/vouchClient.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../../packages/video/testing/mediaTestServer.ts';
import { clientOf, listScratch, makePlace, removePlace, startServe, stopService, waitUntil } from './place.ts';
import { processTree, untilGone, type ProcessMark } from './processTree.ts';

export interface VideoRounds {
  runs: number;
  /** Number of cancelled runs, spread over all runs. */
  cancelled: number;
  /** Number of times the server is killed with SIGKILL while runs are in progress. */
  kills: number;
}

export interface VideoReport {
  /** Number of runs by final status. */
  ends: Record<string, number>;
  /** Descriptions of faults. */
  faults: string[];
}

export interface RunRecord {
  run_id: string;
  status: string;
  stage: string | null;
  error: { code: string } | null;
  segments: readonly { start: number; end: number }[] | null;
  warnings: readonly { code: string; detail: string }[];
  outputs: readonly { kind: string; url: string; bytes: number }[];
}

/** A run takes up to half a minute on a loaded machine. */
const watchTimeoutMs = 300_000;

const ended: readonly string[] = ['completed', 'error', 'cancelled'];

/**
 * Queues runs, cancels some, kills and restarts the server during the others, and compares the outcome of each run with the
 * responses to its client. No process and no file in the scratch folder may remain.
 */
export async function killVideoRuns({ runs, cancelled, kills }: VideoRounds): Promise<VideoReport> {
  const media = await MediaTestServer.start();
  const url = await media.serve('/film.mp4', await makeFixture({ seconds: 6 }));
  const place = await makePlace();
  const faults: string[] = [];
  const environment = { VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address };
  let service = await startServe(place, { environment });
  const seen: ProcessMark[] = [];
  try {
    const client = clientOf(place);
    const ids: string[] = [];
    for (let count = 0; count < runs; count++) ids.push(await createRun(client, url, count));
    const doomed = new Set(ids.filter((_id, index) => Math.floor((index * cancelled) / runs) !== Math.floor(((index + 1) * cancelled) / runs)));
    const told = new Set<string>();
    for (const id of doomed) if (await cancelRun(client, id)) told.add(id);
    for (let kill = 1; kill <= kills; kill++) {
      const goal = Math.floor((kill * (runs - cancelled)) / (kills + 1));
      await watch(`${goal} runs have ended and one works`, client, ids, (records) =>
        records.filter(({ status }) => status === 'completed').length >= goal - 1 && records.some(({ stage, status }) => status === 'running' && stage !== 'download'));
      const tree = processTree(service.processId);
      seen.push(...tree);
      // Kills the supervisor process. All its descendants must end by themselves, except PostgreSQL, which intentionally
      // survives.
      process.kill(service.processId, 'SIGKILL');
      await service.ended;
      await untilGone(tree.filter(({ command }) => /dist\/run\.js|engine\.child|nodeAv\.child|ffmpeg|ffprobe/.test(command) && !command.startsWith('/bin/sh')));
      service = await startServe(place, { environment });
    }
    await watch('every run has ended', client, ids, (records) => records.every(({ status }) => ended.includes(status)));
    const records = await fetchAll(client, ids);
    for (const record of records) faults.push(...await findRunFaults(record, told));
    await waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0);
    const left = processTree(service.processId).filter(({ command }) => /engine\.child|nodeAv\.child|ffmpeg/.test(command));
    faults.push(...left.map(({ command }) => `a process is left: ${command}`));
    return { ends: countBy(records.map(({ status }) => status)), faults };
  } finally {
    await stopService(service);
    await untilGone(seen);
    await removePlace(place);
    await media.close();
  }
}

async function createRun(client: VouchClient, url: string, count: number): Promise<string> {
  const options = { duration: 2, analysis: count % 2 === 0 ? 'accurate' : 'fast', outputs: ['mp4', 'poster', 'storyboard'] };
  const record = expectStatus(await client.post('/v1video-summarization/create', { media_url: url, options }), 202) as RunRecord;
  return record.run_id;
}

/**
 * Cancels a run.
 * @returns whether the response states that the run will not complete
 */
async function cancelRun(client: VouchClient, id: string): Promise<boolean> {
  const { status } = expectStatus(await client.get(`/v1/cancel/${id}`), 200) as RunRecord;
  return status === 'cancelled' || status === 'cancelling';
}

/**
 * Polls runs four times per second; runs take seconds and need the CPU more.
 * @throws Error after five minutes
 */
async function watch(what: string, client: VouchClient, ids: readonly string[], holds: (records: readonly RunRecord[]) => boolean): Promise<void> {
  const deadline = AbortSignal.timeout(watchTimeoutMs);
  for (let records = await fetchAll(client, ids); !holds(records); records = await fetchAll(client, ids)) {
    if (deadline.aborted) throw new Error(`waited ${watchTimeoutMs / 1000} s until ${what}: ${records.map(({ status, stage }) => `${status} ${stage}`).join(', ')}`);
    await sleep(250);
  }
}

async function fetchAll(client: VouchClient, ids: readonly string[]): Promise<RunRecord[]> {
  return Promise.all(ids.map(async (id) => expectStatus(await client.get(`/v1/status/${id}`), 200) as RunRecord));
}

/** Returns contradictions between a run's record and the responses to its client, and incomplete files of the run. */
export async function findRunFaults(record: RunRecord, told: ReadonlySet<string>): Promise<string[]> {
  const { run_id: id, status, error, outputs } = record;
  if (told.has(id)) return status === 'cancelled' ? [] : [`run ${id} was told to be cancelled and is ${status}`];
  if (status !== 'completed') return [`run ${id} is ${status}: ${JSON.stringify(error)}`];
  if (record.segments === null || record.segments.length === 0) return [`run ${id} is completed without segments`];
  const faults: string[] = [];
  for (const { kind, url, bytes } of outputs) {
    const answer = await fetch(url);
    const { byteLength } = await answer.arrayBuffer();
    // The response adds links to the sprite to the storyboard's cues, so it is larger than the stored file.
    const right = kind === 'storyboard-vtt' ? byteLength > bytes : byteLength === bytes;
    if (answer.status !== 200 || !right) faults.push(`run ${id}: ${kind} has ${byteLength} of ${bytes} bytes (${answer.status})`);
  }
  const kinds = outputs.map(({ kind }) => kind);
  for (const wanted of ['mp4', 'poster', 'storyboard-sprite', 'storyboard-vtt']) if (!kinds.includes(wanted)) faults.push(`run ${id} has no ${wanted}`);
  return faults;
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

