import { mkdtemp, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { createOutbound } from '@vouch/platform/outbound/createOutbound';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { createJobQueue } from '@vouch/platform/jobs/queue';
import { startWorker, type Worker } from '@vouch/platform/jobs/worker';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform, ProductParts } from '@vouch/platform/product/product';
import { createWebhooks } from '@vouch/platform/webhooks/createWebhooks';
import { Registry } from 'prom-client';
import { video } from '../product.ts';
import type { VideoSettings } from '../config/videoSettings.ts';
import type { RunRecord } from '../runs/run.schema.ts';

const settings: VideoSettings = {
  video_concurrency: 1, video_threads: 1, video_memory_mb: 2048, video_max_bytes: 10_000_000, video_uploads_max_bytes: 1_000_000_000, video_max_seconds: 600,
  video_run_seconds: 120, video_cache_hours: 1, video_s3_region: 'us-east-1', video_transcription_model: 'whisper-1', video_niceness: 0,
  ...(process.env['FFMPEG_PATH'] === undefined ? {} : { ffmpeg_path: process.env['FFMPEG_PATH'] }),
};
const pollMs = 50;
/**
 * Maximum interval between status requests while waiting for the end of a run, ms: a run takes seconds, and each request costs
 * processor time.
 */
const maxPollMs = 250;
const ended: readonly string[] = ['completed', 'error', 'cancelled'];

/** Keys of the test server: an organization with all permissions, and another organization. */
const owner = 'acme:video:read,video:write';
export const stranger = 'other:video:read,video:write';

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** The video product on a test server with PostgreSQL, a local blob store and its own worker. */
export class VideoTestServer {
  readonly at: TestServer;
  readonly platform: Platform & { database: TestDatabase };
  readonly folder: string;
  readonly settings: VideoSettings;
  private readonly parts: ProductParts;
  private readonly closers: (() => Promise<void>)[];
  private worker: Worker | null = null;

  private constructor(at: TestServer, platform: Platform & { database: TestDatabase }, folder: string, given: VideoSettings, parts: ProductParts, closers: (() => Promise<void>)[]) {
    this.at = at;
    this.settings = given;
    this.platform = platform;
    this.folder = folder;
    this.parts = parts;
    this.closers = closers;
  }

  /**
   * Starts the server.
   * @param allowed `host:port` values on this machine from which media may be fetched and to which callbacks may be sent
   */
  static async start(allowed: readonly string[], changes: Partial<VideoSettings> = {}): Promise<VideoTestServer> {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-video-'));
    const database = await openTestDatabase({ migrations: [{ product: 'video', folder: video.migrations }] });
    const scratch = join(folder, 'scratch');
    await mkdir(scratch);
    const log = createLogger('error');
    const outbound = createOutbound({ allowPrivateAddresses: allowed }, systemInterfaces.timers);
    const jobs = createJobQueue(database, systemInterfaces);
    const webhooks = createWebhooks({ database, outbound, system: systemInterfaces, log });
    const platform = {
      ...systemInterfaces, log, database, outbound, jobs, webhooks, scratch, metrics: new Registry(), tracer: null, publicUrl: 'http://vouch.test',
      blobs: createFolderBlobs(join(folder, 'blobs'), systemInterfaces),
    };
    const given = { ...settings, ...changes };
    const parts = video.build(platform, given);
    jobs.register(parts.jobs);
    const at = await startTestServer(database, { errors: [video.errors], routes: [(server) => parts.routes(server)] });
    const sender = await webhooks.startSending();
    const closers = [
      () => at.server.close(), () => sender.close(), () => parts.close(), () => outbound.close(), () => database.close(),
      () => rm(folder, { recursive: true, force: true }),
    ];
    return new VideoTestServer(at, platform, folder, given, parts, closers);
  }

  /** Starts the worker; before this call, jobs stay queued. */
  async work(): Promise<void> {
    const { database, log, scratch } = this.platform;
    this.worker ??= await startWorker({ database, kinds: this.parts.jobs, system: systemInterfaces, log, scratch, leaseMs: 3_000, pollMs: 100, retryMs: 50 });
  }

  /** Stops the worker; running jobs return to the queue. */
  async rest(): Promise<void> {
    await this.worker?.stop(5_000);
    this.worker = null;
  }

  async close(): Promise<void> {
    await this.rest();
    for (const closer of this.closers) await closer();
  }

  async send<Body>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    const answer = await fetch(this.at.url + path, {
      method,
      headers: { apikey: owner, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: (text === '' ? null : JSON.parse(text)) as Body };
  }

  create<Body = RunRecord>(body: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.send<Body>('POST', '/v1video-summarization/create', body, headers);
  }

  async status(runId: string, apikey = owner): Promise<RunRecord> {
    return (await this.send<RunRecord>('GET', `/v1/status/${runId}`, undefined, { apikey })).body;
  }

  /** Lists runs. @param query with its question mark */
  list(query: string, apikey = owner): Promise<Answer<RunRecord[]>> {
    return this.send<RunRecord[]>('GET', `/v1/runs${query}`, undefined, { apikey });
  }

  /** Waits until a run's record satisfies a condition; by default until it has ended. */
  async until(runId: string, enough?: (record: RunRecord) => boolean): Promise<RunRecord> {
    for (let round = 1; ; round += 1) {
      const record = await this.status(runId);
      if (enough === undefined ? ended.includes(record.status) : enough(record)) return record;
      // A stage may be short, so a condition is checked at the shortest interval.
      await systemInterfaces.timers.sleep(enough === undefined ? Math.min(maxPollMs, pollMs * round) : pollMs);
    }
  }

  /** Starts a run and waits until the run has ended with any status. */
  async run(body: unknown): Promise<RunRecord> {
    const { status, body: record } = await this.create(body);
    if (status !== 202) throw new Error(`the run was refused: ${JSON.stringify(record)}`);
    return this.until(record.run_id);
  }

  /** Fetches a file of a run by the URL in the record, with the public URL replaced by the URL of the test server. */
  open(url: string, init: RequestInit = {}): Promise<Response> {
    return fetch(url.replace(this.platform.publicUrl, this.at.url), init);
  }

  /** Names of the scratch folders of running attempts. */
  async scratch(): Promise<string[]> {
    return readdir(join(this.platform.scratch, 'jobs')).catch(() => []);
  }
}
