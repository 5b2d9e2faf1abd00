import { expectStatus, HttpClient, type Call, type Reply } from '@vouch/platform/conformance/client';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';

/** The fields of a training's status record that the conformance rows use. */
export interface Training {
  model_id: string;
  status: 'queued' | 'running' | 'completed' | 'error' | 'cancelled';
  stage: string | null;
  progress: number;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  error: { code: string; title: string; detail: string; type: string } | null;
  serving_version: number | null;
  metrics: { verdict: string; verdict_reason: string } | null;
  choice: { candidates: { setting: object }[]; chosen: object; users: number } | null;
  data: {
    batches: number;
    entities: { rows: number; distinct: number; texts?: readonly object[]; garbled_names?: object };
    interactions: { rows: number; used: number; types: number; by_type: Record<string, number>; ignored: { too_old: number; repeated: number; self: number } };
  } | null;
  warnings: { code: string; detail: string }[];
  parameters: { setting: unknown; seed: number; data_tags: string[]; maximum_interaction_age_days: number | null };
}

export interface Batch {
  batch_id: string;
  timestamp: string;
  tags: string[];
  entity_count: number;
  interaction_count: number;
}

/** One row of the CSV answers. */
export interface ListRow {
  source: string;
  target: string;
  rank: number;
  /** The score text as in the answer. */
  score: string;
}

/** One recommendation of the JSON answers. */
interface Recommendation {
  source_id: string | null;
  target_id: string;
  rank: number;
  score: number;
  type: string | null;
  name: string | null;
  media_url: string | null;
  reasons: { kind: string; ids?: string[]; field?: string; value?: string; count?: number; share: number }[];
}

export interface ListAnswer {
  recommendation_id: string;
  model_id: string;
  model_version: number;
  unknown_ids: string[];
  recommendations: Recommendation[];
}

export const csvHeader = 'source_id,target_id,#,score';

/** Maximum wait in ms; a small training takes one or two seconds. */
const trainingTimeoutMs = 240_000;
const pollMs = 50;
const announcementTimeoutMs = 120_000;

const paths = {
  batches: '/v1/recommender/data_batch',
  train: '/v1/recommender/train',
  related: '/v1/recommender/related_items',
  trending: '/v1/recommender/trending_items',
};

/** HTTP client of a recommender, with an API key. Returns answers of any status. */
export class Client extends HttpClient {
  /** Returns a client of the same server with another key. */
  withKey(apiKey: string): Client {
    return new Client(this.baseUrl, apiKey, this.fetch);
  }

  /** Uploads CSV texts in one request, with one `tags` field per tag. */
  tryUpload(files: readonly string[], tags: readonly string[] = [], headers: Record<string, string> = {}): Promise<Reply> {
    const form = new FormData();
    for (const tag of tags) form.append('tags', tag);
    for (const [index, text] of files.entries()) form.append('files', new Blob([text], { type: 'text/csv' }), `file${index}.csv`);
    return this.send('POST', paths.batches, { form, headers });
  }

  async upload(files: readonly string[], tags: readonly string[] = []): Promise<Batch[]> {
    return expectStatus(await this.tryUpload(files, tags), 201).json<Batch[]>();
  }

  batches(query: Call['query'] = {}): Promise<Reply> {
    return this.get(paths.batches, query);
  }

  deleteBatches(query: Call['query'] = {}): Promise<Reply> {
    return this.send('DELETE', paths.batches, { query });
  }

  tryTrain(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('POST', paths.train, { body, headers });
  }

  /** Starts a training. */
  async begin(body: Record<string, unknown>): Promise<Training> {
    return expectStatus(await this.tryTrain(body), 202).json<Training>();
  }

  status(modelId: string): Promise<Reply> {
    return this.get(`/v1/recommender/${encodeURIComponent(modelId)}/status`);
  }

  cancel(modelId: string): Promise<Reply> {
    return this.send('POST', `/v1/recommender/${encodeURIComponent(modelId)}/cancel`);
  }

  /** Waits until a training's record satisfies a condition; by default until the training has ended. */
  async untilStatus(modelId: string, enough: (record: Training) => boolean = hasEnded): Promise<Training> {
    let record: Training | null = null;
    for (let waitedMs = 0; waitedMs < trainingTimeoutMs; waitedMs += pollMs) {
      record = expectStatus(await this.status(modelId), 200).json<Training>();
      if (enough(record)) return record;
      await systemInterfaces.timers.sleep(pollMs);
    }
    throw new Error(`the training of ${modelId} did not get there; its record is ${JSON.stringify(record)}`);
  }

  /** Starts a training and waits for its end, successful or not. */
  async trainToEnd(body: Record<string, unknown>): Promise<Training> {
    return this.untilStatus((await this.begin(body)).model_id);
  }

  /**
   * Trains a model.
   * @throws Error if the training does not complete
   */
  async train(body: Record<string, unknown>): Promise<Training> {
    const record = await this.trainToEnd(body);
    const { status, error } = record;
    if (status !== 'completed') throw new Error(`the training ended with ${status}: ${JSON.stringify(error)}`);
    return record;
  }

  /** Waits until a version of a model answers queries: a server receives the announcement shortly after the status changes. */
  async untilAnswering(modelId: string, version: number | null): Promise<void> {
    let answering: string | null = null;
    for (let waitedMs = 0; waitedMs < announcementTimeoutMs; waitedMs += pollMs) {
      answering = (await this.trending({ model_id: modelId })).headers.get('x-model-version');
      if (answering === String(version)) return;
      await systemInterfaces.timers.sleep(pollMs);
    }
    throw new Error(`version ${answering} of ${modelId} answers instead of ${version}`);
  }

  related(query: Call['query']): Promise<Reply> {
    return this.get(paths.related, query);
  }

  trending(query: Call['query'] = {}): Promise<Reply> {
    return this.get(paths.trending, query);
  }

  async relatedRows(query: Call['query']): Promise<ListRow[]> {
    return parseRows(expectStatus(await this.related(query), 200).text);
  }

  async trendingRows(query: Call['query'] = {}): Promise<ListRow[]> {
    return parseRows(expectStatus(await this.trending(query), 200).text);
  }

  async relatedJson(query: Call['query']): Promise<ListAnswer> {
    return expectStatus(await this.related({ ...query, output_format: 'json' }), 200).json<ListAnswer>();
  }

  async trendingJson(query: Call['query'] = {}): Promise<ListAnswer> {
    return expectStatus(await this.trending({ ...query, output_format: 'json' }), 200).json<ListAnswer>();
  }
}

export function hasEnded({ status }: Training): boolean {
  return status !== 'queued' && status !== 'running';
}

/**
 * Parses the rows of a CSV answer.
 * @throws Error if the header or a row has another form
 */
export function parseRows(csv: string): ListRow[] {
  const lines = csv.split('\n');
  if (lines[0] !== csvHeader) throw new Error(`the header of the CSV is ${JSON.stringify(lines[0])}, not ${csvHeader}`);
  if (lines.pop() !== '') throw new Error('the CSV does not end with a line end');
  return lines.slice(1).map((line) => {
    const match = /^("(?:[^"]|"")*"|[^",]*),("(?:[^"]|"")*"|[^",]+),(\d+),([01]\.\d{6})$/.exec(line);
    if (match === null) throw new Error(`a row of the CSV is not source,target,rank,score with six decimals: ${line}`);
    const [, source = '', target = '', rank, score = ''] = match;
    return { source: unquote(source), target: unquote(target), rank: Number(rank), score };
  });
}

function unquote(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}
