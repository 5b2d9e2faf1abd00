import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../../bench/harness/vouchClient.ts';
import type { SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { interactionRows } from '../../scale/largeFiles.ts';
import { clientOf, urlOf } from './place.ts';
import type { VouchPlace } from './vouchSubjects.ts';

type WorkKind = 'upload' | 'training' | 'run';

/** Work that the service has acknowledged. */
export interface Told {
  kind: WorkKind;
  /** Tag of the upload, id of the model, or id of the run. */
  id: string;
  /** Number of rows of an upload; 0 for other kinds of work. */
  rows: number;
  /** Whether a response to a cancel stated that the work will not complete. */
  cancelled: boolean;
}

export interface MixedWork {
  told: readonly Told[];
  /** Requests that had to be repeated, with the response. */
  repeated: readonly string[];
  /** Descriptions of responses that a crash cannot explain. */
  faults: readonly string[];
  /** Starts no further work, and waits until all started work has been acknowledged and has ended. */
  finish(): Promise<void>;
}

const retryMs = 100;
const lookMs = 300;
/** Pause between uploads, in ms, which leaves the CPU to trainings and runs. */
const betweenUploadsMs = 500;
const cancelledShare = 0.25;
const cancelAfterMs = 5_000;
const rowsMax = 20_000;
const ended: readonly unknown[] = ['completed', 'error', 'cancelled'];

/**
 * Uploads, trains, summarizes and cancels until `finish` is called. As a careful client does, repeats each unanswered request
 * with the same idempotency key until the service accepts or refuses it.
 */
export function beginMixedWork(place: VouchPlace, mediaUrl: string, random: SeededRandom): MixedWork {
  const client = clientOf(place);
  const told: Told[] = [];
  const began = performance.now();
  const repeated: string[] = [];
  const faults: string[] = [];
  const stop = new AbortController();
  let next = 0;

  async function uploadOne(): Promise<void> {
    const id = `upload-${next++}`;
    const rows = 1 + random.below(rowsMax);
    const answer = await untilAnswered(() => client.upload([{ name: `${id}.csv`, content: interactionRows(rows) }], [id], id));
    if (isTold(id, answer, 201)) told.push({ kind: 'upload', id, rows, cancelled: false });
    await sleep(betweenUploadsMs);
  }

  async function trainOne(): Promise<void> {
    const id = `training-${next++}`;
    const body = { model_id: id, data_tags: ['catalogue'] };
    if (!isTold(id, await untilAnswered(() => post(place, '/v1/recommender/train', body, id)), 202)) return;
    const entry: Told = { kind: 'training', id, rows: 0, cancelled: false };
    told.push(entry);
    await followToEnd(entry, `/v1/recommender/${id}/status`, () => post(place, `/v1/recommender/${id}/cancel`, {}, `${id}-cancel`));
  }

  async function summarizeOne(): Promise<void> {
    const key = `run-${next++}`;
    const options = { duration: 2, analysis: random.below(2) === 0 ? 'accurate' : 'fast', outputs: ['mp4', 'poster', 'storyboard'] };
    const answer = await untilAnswered(() => post(place, '/v1video-summarization/create', { media_url: mediaUrl, options }, key));
    if (!isTold(key, answer, 202)) return;
    const entry: Told = { kind: 'run', id: (answer.body as { run_id: string }).run_id, rows: 0, cancelled: false };
    told.push(entry);
    await followToEnd(entry, `/v1/status/${entry.id}`, () => client.get(`/v1/cancel/${entry.id}`));
  }

  async function followToEnd(entry: Told, path: string, cancel: () => Promise<Answer>): Promise<void> {
    const doomed = random.below(1_000) < cancelledShare * 1_000;
    if (doomed) {
      await sleep(random.below(cancelAfterMs));
      const { status } = (await untilAnswered(cancel)).body as { status?: string };
      entry.cancelled = status !== 'completed' && status !== 'error';
    }
    for (;;) {
      const { status } = (await untilAnswered(() => client.get(path))).body as { status?: string };
      if (ended.includes(status)) return;
      await sleep(lookMs);
    }
  }

  function isTold(id: string, answer: Answer, wanted: number): boolean {
    if (answer.status === wanted) return true;
    faults.push(`${id} was answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`);
    return false;
  }

  /** Repeats a request while the server does not respond, is not ready, or still processes an earlier request with the same key. */
  async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await send().catch((error: unknown) => String(error instanceof Error ? error.cause ?? error : error));
      const isAnswer = typeof answer !== 'string' && answer.status < 500;
      const atWork = isAnswer && answer.status === 409 && JSON.stringify(answer.body).includes('idempotency-conflict');
      if (isAnswer && !atWork) return answer;
      repeated.push(`${Math.round(performance.now() - began)} ms: ${typeof answer === 'string' ? answer : `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`}`);
      await sleep(retryMs);
    }
  }

  async function lane(work: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) await work();
  }

  const lanes = Promise.all([lane(uploadOne), lane(trainOne), lane(trainOne), lane(summarizeOne), lane(summarizeOne)]);
  lanes.catch(() => undefined);
  return {
    told,
    repeated,
    faults,
    async finish() {
      stop.abort();
      await lanes;
    },
  };
}

async function post(place: VouchPlace, path: string, body: unknown, idempotencyKey: string): Promise<Answer> {
  const answer = await fetch(urlOf(place) + path, {
    method: 'POST', body: JSON.stringify(body),
    headers: { apikey: place.key, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
  });
  return { status: answer.status, body: await answer.json() };
}
