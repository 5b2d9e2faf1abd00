import { BrowserRequest, uploadInBrowser } from './browserUpload.ts';
import { readRows, type RecommendationRow } from './csvRows.ts';
import { operations, type Operations } from './generated/operations.ts';
import type { Batch, Run, Training } from './generated/schemas.ts';
import { multipartOf, type UploadFile, type UploadProgress } from './multipart.ts';
import { VouchError } from './problem.ts';
import { createTransport, passing, pause, type CallOptions, type ClientOptions, type Transport } from './transport.ts';

type Name = Exclude<keyof Operations, 'uploadBatches'>;
type Parameters<Of extends Name> = Operations[Of]['parameters'];

/** One method per operation of the server, named by its operationId. */
type Calls = {
  [Of in Name]: object extends Parameters<Of>
    ? (parameters?: Parameters<Of>, options?: CallOptions) => Promise<Operations[Of]['answer']>
    : (parameters: Parameters<Of>, options?: CallOptions) => Promise<Operations[Of]['answer']>;
};

/** Operations that answer with a page of a list. */
type Listing = { [Of in Name]: Parameters<Of> extends { cursor?: string } ? (Operations[Of]['answer'] extends readonly unknown[] ? Of : never) : never }[Name];
type RecordOf<Of extends Listing> = Operations[Of]['answer'] extends readonly (infer Each)[] ? Each : never;

interface UploadOptions extends CallOptions {
  tags?: readonly string[];
  onProgress?: (progress: UploadProgress) => void;
}

interface WaitOptions<Status> {
  signal?: AbortSignal;
  /** Called with each status that the client fetches. */
  onProgress?: (status: Status) => void;
}

interface Helpers {
  /**
   * Uploads CSV files, plain or gzip: all of the files are stored, or none.
   * @throws VouchError `invalid-csv` with each faulty row in `errors`
   */
  uploadBatches(files: readonly UploadFile[], options?: UploadOptions): Promise<Batch[]>;
  /** Iterates over all records of a list, page by page. */
  pages<Of extends Listing>(name: Of, parameters?: Parameters<Of>, options?: CallOptions): AsyncGenerator<RecordOf<Of>>;
  /** Iterates over the recommendations of all entities, or of `entity_id`, while the server computes them. */
  relatedItemRows(parameters: Parameters<'relatedItems'>, options?: CallOptions): AsyncGenerator<RecommendationRow>;
  /**
   * Waits until the latest training of a model ends.
   * @throws VouchError with the problem of a training that failed; code `cancelled` if it was cancelled
   */
  waitForModel(modelId: string, options?: WaitOptions<Training>): Promise<Training>;
  /**
   * Waits until a summarization ends.
   * @throws VouchError with the problem of a run that failed; code `cancelled` if it was cancelled
   */
  waitForRun(runId: string, options?: WaitOptions<Run>): Promise<Run>;
}

/** A client of a Vouch server. */
export type Client = Calls & Helpers;

/**
 * Creates a client. Methods throw `VouchError` if the server refuses a request.
 * @example
 * const vouch = createClient({ url: 'http://127.0.0.1:8080', apiKey: process.env.VOUCH_API_KEY });
 * const { recommendations } = await vouch.relatedItems({ model_id: 'shop', entity_id: 'sku-1' });
 * @throws TypeError if the URL is missing or no URL
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport(options);
  const calls = Object.fromEntries(Object.keys(operations).map((name) =>
    [name, async (parameters: object = {}, how: CallOptions = {}) => (await call(transport, name as Name, parameters, how)).json()])) as unknown as Calls;
  return {
    ...calls,
    uploadBatches: (files, how) => upload(transport, options, files, how),
    pages: (name, parameters, how) => pages(transport, name, parameters, how),
    relatedItemRows: (parameters, how) => relatedItemRows(transport, parameters, how),
    waitForModel: (id, how) => wait(() => calls.getTraining({ model_id: id }, how), how),
    waitForRun: (id, how) => wait(() => calls.getRun({ run_id: id }, how), how),
  };
}

/** Sends one operation. Parameters in the path are taken out of the others, which become the query or the body. */
function call(transport: Transport, name: Name, parameters: object, { signal, idempotencyKey }: CallOptions): Promise<Response> {
  const [method = '', template = '', ...marks] = operations[name].split(' ');
  const others: Record<string, unknown> = { ...(marks.includes('json') ? { output_format: 'json' } : {}), ...parameters };
  const path = template.replaceAll(/\{(\w+)\}/g, (_all, key: string) => {
    const value = others[key];
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} needs ${key}.`);
    delete others[key];
    return encodeURIComponent(String(value));
  });
  for (const mark of marks) {
    const [kind, field = ''] = mark.split(':');
    const value = others[field];
    if (kind === 'csv' && Array.isArray(value)) others[field] = value.map(listMember);
  }
  const key: Record<string, string> = marks.includes('key') ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {};
  const isBody = marks.includes('body');
  return transport.send({
    method, path, signal,
    // A POST without an Idempotency-Key only asks.
    repeatable: true,
    headers: { ...key, ...(isBody ? { 'content-type': 'application/json' } : {}) },
    ...(isBody ? { body: () => JSON.stringify(others) } : { query: others }),
  });
}

/** A member of a list as a CSV record of one field: quoted if it contains a comma or a quote, or has blanks at its ends, which the server would trim. */
function listMember(member: unknown): unknown {
  return typeof member === 'string' && /[",]|^\s|\s$/.test(member) ? `"${member.replaceAll('"', '""')}"` : member;
}

async function upload(transport: Transport, { url, apiKey }: ClientOptions, files: readonly UploadFile[], options: UploadOptions = {}): Promise<Batch[]> {
  const { tags = [], onProgress, signal, idempotencyKey = crypto.randomUUID() } = options;
  const [method = '', path = ''] = operations.uploadBatches.split(' ');
  const fields = tags.map((tag) => ['tags', tag] as const);
  const headers = { 'idempotency-key': idempotencyKey };
  if (BrowserRequest !== undefined) {
    const address = (url ?? '').replace(/\/+$/, '') + path;
    return await uploadInBrowser(BrowserRequest, address, { ...headers, ...(apiKey === undefined ? {} : { apikey: apiKey }) }, files, fields, { signal, onProgress }) as Batch[];
  }
  const multipart = multipartOf(files, fields);
  // Aborting the request ends it with the error of the caller's own content, and without a repeat.
  const failed = new AbortController();
  const answer = await transport.send({
    method, path, isUpload: true,
    signal: signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]),
    repeatable: multipart.repeatable,
    headers: { ...headers, 'content-type': multipart.contentType },
    body: () => multipart.open(onProgress, (error) => failed.abort(error)),
  });
  return await answer.json() as Batch[];
}

async function* pages<Of extends Listing>(transport: Transport, name: Of, parameters: Parameters<Of> = {} as Parameters<Of>, options: CallOptions = {}): AsyncGenerator<RecordOf<Of>> {
  let query: object | null = { limit: 100, ...parameters };
  while (query !== null) {
    const answer = await call(transport, name, query, options);
    yield* await answer.json() as RecordOf<Of>[];
    const next = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    // The URL may name another host than the client uses, e.g. behind a proxy: only its cursor counts.
    const cursor = next === undefined ? null : new URL(next, 'http://server').searchParams.get('cursor');
    query = cursor === null ? null : { ...query, cursor };
  }
}

async function* relatedItemRows(transport: Transport, parameters: Parameters<'relatedItems'>, options: CallOptions = {}): AsyncGenerator<RecommendationRow> {
  const answer = await call(transport, 'relatedItems', { ...parameters, output_format: 'csv' }, options);
  if (answer.body !== null) yield* readRows(answer.body);
}

const firstPollMs = 200;
const longestPollMs = 5_000;

/** Time in ms for which a server may be away while its work is waited for, as during a restart or an update. */
const longestAbsenceMs = 120_000;

/** Fetches a status until the status is final, with growing pauses. After the first answer, the server may be away for a time, because its work goes on. */
async function wait<Status extends Training | Run>(fetchStatus: () => Promise<Status>, { signal, onProgress }: WaitOptions<Status> = {}): Promise<Status> {
  let answeredAt = Number.NEGATIVE_INFINITY;
  for (let ms = firstPollMs; ; ms = Math.min(ms * 1.5, longestPollMs)) {
    const record = await fetchStatus().catch((error: unknown) => {
      signal?.throwIfAborted();
      if (isRefusal(error) || performance.now() - answeredAt > longestAbsenceMs) throw error;
      return null;
    });
    if (record === null) {
      await pause(ms, signal);
      continue;
    }
    answeredAt = performance.now();
    onProgress?.(record);
    if (record.status === 'completed') return record;
    if (record.status === 'error') throw new VouchError(200, (record.error ?? {}) as object);
    if (record.status === 'cancelled') throw new VouchError(200, { code: 'cancelled', detail: 'Someone cancelled the work before it was complete.' });
    await pause(ms, signal);
  }
}

/** Whether an error is the answer of a server that works, and not a server that is away or starts. */
function isRefusal(error: unknown): boolean {
  return error instanceof VouchError && !passing.has(error.status);
}
