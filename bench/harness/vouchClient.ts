import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** One file of an upload. The content is streamed: read once and never held in memory as a whole. */
export interface UploadFile {
  name: string;
  content: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

export interface BatchRecord {
  batch_id: string;
  timestamp: string;
  tags: string[];
  entity_count: number;
  interaction_count: number;
}

export interface TrainingRecord {
  model_id: string;
  status: 'queued' | 'running' | 'completed' | 'error' | 'cancelled';
  stage: string | null;
  progress: number;
  error: { code?: string; detail?: string } | null;
}

/** A response of any status. `body` is the parsed JSON, or the text if the body is not JSON. */
export interface Answer {
  status: number;
  body: unknown;
  /** Path of the next page of a list, from the `Link` header. */
  next?: string;
}

/** The calls that benchmarks and heavy tests need. Connection failures throw; responses of any status are returned. */
export interface VouchClient {
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, idempotencyKey?: string): Promise<Answer>;
  /** Streams files as multipart. Also returns a response that arrives before the body has been sent, such as 413. */
  upload(files: readonly UploadFile[], tags?: readonly string[], idempotencyKey?: string): Promise<Answer>;
  /** Returns all batches, or all batches with a tag, from all pages. */
  batches(tag?: string): Promise<BatchRecord[]>;
  /** Starts a training and waits until it ends, in any status. */
  train(modelId: string, parameters?: Record<string, unknown>): Promise<TrainingRecord>;
  status(modelId: string): Promise<TrainingRecord>;
  untilEnded(modelId: string): Promise<TrainingRecord>;
}

/** Trainings of heavy tests take minutes; a training of two hours hangs. */
const trainingTimeoutMs = 7_200_000;
/** A page has 1,000 batches; reaching this limit means that the pages form a cycle. */
const maximumPages = 1_000;

export function connectVouch(url: string, key: string): VouchClient {
  const headers = { apikey: key };
  const get = async (path: string): Promise<Answer> => parseAnswer(await fetch(url + path, { headers }));
  const keyed = (idempotencyKey?: string): Record<string, string> => ({ ...headers, ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }) });
  const post = async (path: string, body: unknown, idempotencyKey?: string): Promise<Answer> =>
    parseAnswer(
      await fetch(url + path, {
        method: 'POST', headers: { ...keyed(idempotencyKey), 'content-type': 'application/json' }, body: JSON.stringify(body),
      }),
    );
  const status = async (modelId: string): Promise<TrainingRecord> =>
    expectStatus(await get(`/v1/recommender/${encodeURIComponent(modelId)}/status`), 200) as TrainingRecord;
  const untilEnded = async (modelId: string): Promise<TrainingRecord> => {
    for (let waitedMs = 0; waitedMs < trainingTimeoutMs; waitedMs += 200) {
      const record = await status(modelId);
      if (record.status !== 'queued' && record.status !== 'running') return record;
      await sleep(200);
    }
    throw new Error(`the training of ${modelId} did not end within ${trainingTimeoutMs / 1000} s`);
  };
  return {
    get,
    post,
    status,
    untilEnded,
    upload: (files, tags = [], idempotencyKey) => upload(url, keyed(idempotencyKey), files, tags),
    async batches(tag) {
      const records: BatchRecord[] = [];
      let path: string | undefined = `/v1/recommender/data_batch${tag === undefined ? '' : `?tags=${encodeURIComponent(tag)}`}`;
      for (let page = 0; page < maximumPages && path !== undefined; page++) {
        const answer: Answer = await get(path);
        records.push(...(expectStatus(answer, 200) as BatchRecord[]));
        path = answer.next;
      }
      if (path !== undefined) throw new Error(`the list of batches has more than ${maximumPages} pages`);
      return records;
    },
    async train(modelId, parameters = {}) {
      expectStatus(await post('/v1/recommender/train', { model_id: modelId, ...parameters }), 202);
      return await untilEnded(modelId);
    },
  };
}

/**
 * Returns the body of a response with the expected status.
 * @throws Error with the status and the first 2,000 characters of the body of any other response
 */
export function expectStatus(answer: Answer, wanted: number): unknown {
  if (answer.status === wanted) return answer.body;
  throw new Error(`expected ${wanted}, got ${answer.status}: ${JSON.stringify(answer.body).slice(0, 2_000)}`);
}

/** Returns the stable error code of a problem response, or null. */
export function problemCode(answer: Answer): string | null {
  return (answer.body as { code?: string } | null)?.code ?? null;
}

async function parseAnswer(answer: Response): Promise<Answer> {
  const next = /<([^>]+)>;\s*rel="?next"?/.exec(answer.headers.get('link') ?? '')?.[1];
  const path = next === undefined ? {} : { next: pathOf(new URL(next, answer.url)) };
  return { status: answer.status, body: parseBody(await answer.text()), ...path };
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search;
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

// node:http instead of fetch, because node:http returns a response that arrives while the body is still being sent.
async function upload(
  url: string, headers: Record<string, string>, files: readonly UploadFile[], tags: readonly string[],
): Promise<Answer> {
  const boundary = `vouch-bench-${process.pid}-${files.length}`;
  const sending = request(`${url}/v1/recommender/data_batch`, {
    method: 'POST',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve);
    sending.once('error', reject);
    sending.once('close', () => reject(new Error('the connection was closed without an answer')));
  });
  // A server that has responded may close the connection before the body is complete; in this case the response counts.
  const sent = pipeline(Readable.from(multipart(boundary, files, tags)), sending).catch(() => undefined);
  const answer = await answered;
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk as string;
  sending.destroy();
  await sent;
  return { status: answer.statusCode ?? 0, body: parseBody(text) };
}

async function* multipart(
  boundary: string,
  files: readonly UploadFile[],
  tags: readonly string[],
): AsyncGenerator<string | Uint8Array> {
  for (const tag of tags) yield `--${boundary}\r\ncontent-disposition: form-data; name="tags"\r\n\r\n${tag}\r\n`;
  for (const { name, content } of files) {
    const disposition = `content-disposition: form-data; name="files"; filename="${name}"`;
    yield `--${boundary}\r\n${disposition}\r\ncontent-type: text/csv\r\n\r\n`;
    yield* content;
    yield '\r\n';
  }
  yield `--${boundary}--\r\n`;
}
