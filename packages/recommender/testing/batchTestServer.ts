import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { resolveReferences } from '@vouch/platform/testing/resolveReferences';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import type { ServerOptions } from '@vouch/platform/http/server';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import type { UploadSettings } from '../batches/batchPlatform.ts';
import { batchRoutes } from '../batches/batchRoutes.ts';
import { eventRoutes } from '../events/eventRoutes.ts';
import { foldTagged } from '../events/foldEvents.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { readParquet } from './readParquet.ts';

/** A key of the test server with all permissions for batches. */
export const key = 'acme:data:read,data:write';

/** Counts of everything that an upload can leave behind. */
interface Stored {
  rows: number;
  blobs: number;
  scratch: string[];
}

/** One part of an upload form: a field, or a file. */
export type Part = [name: string, value: string] | [name: string, content: Uint8Array | string, fileName: string];

/** The routes of batches and events on a real server with a real PostgreSQL database and a real folder of blobs; for tests. */
export class BatchTestServer {
  readonly database: TestDatabase;
  readonly at: TestServer;
  readonly scratch: string;
  private readonly folder: string;
  readonly blobs: ReturnType<typeof createFolderBlobs>;
  /** Memory of the server's process, without a follower of the database. */
  readonly recent: RecentEvents;

  private constructor(database: TestDatabase, at: TestServer, folder: string, blobs: ReturnType<typeof createFolderBlobs>, recent: RecentEvents) {
    this.database = database;
    this.at = at;
    this.folder = folder;
    this.scratch = join(folder, 'scratch');
    this.blobs = blobs;
    this.recent = recent;
  }

  static async start(settings: Partial<UploadSettings> = {}, options: Partial<Pick<ServerOptions, 'limits' | 'log'>> = {}, clock = systemInterfaces.clock): Promise<BatchTestServer> {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-batches-'));
    const database = await openTestDatabase({
      migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }],
    });
    const blobs = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
    const scratch = join(folder, 'scratch');
    await mkdir(scratch);
    const platform = { ...systemInterfaces, clock, elapsedMs: clock.now, database, blobs, scratch, publicUrl: 'http://vouch.test' };
    const recent = new RecentEvents();
    const at = await startTestServer(database, {
      ...options,
      errors: [recommenderErrors],
      routes: [(server) => batchRoutes(server, platform, {
        upload_max_bytes: 2 ** 30, upload_max_rows: 10_000_000, upload_concurrency: 2, ...settings,
      }, (organizationId, tags) => foldTagged(platform, organizationId, tags)), (server) => eventRoutes(server, platform, recent)],
    });
    return new BatchTestServer(database, at, folder, blobs, recent);
  }

  async close(): Promise<void> {
    await this.at.server.close();
    await this.database.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  request(method: string, query = '', headers: Record<string, string> = {}, apikey = key): Promise<Response> {
    return fetch(`${this.at.url}/v1/recommender/data_batch${query}`, { method, headers: { apikey, ...headers } });
  }

  upload(parts: readonly Part[], headers: Record<string, string> = {}, apikey = key): Promise<Response> {
    const body = new FormData();
    for (const [name, content, fileName] of parts) {
      if (fileName === undefined) body.append(name, content as string);
      else body.append(name, new Blob([content]), fileName);
    }
    return fetch(`${this.at.url}/v1/recommender/data_batch`, { method: 'POST', body, headers: { apikey, ...headers } });
  }

  /** Sends events to a route of /v1/recommender. */
  send(route: string, body: object, headers: Record<string, string> = {}, apikey = key): Promise<Response> {
    return fetch(`${this.at.url}/v1/recommender/${route}`, {
      method: 'POST', body: JSON.stringify(body), headers: { apikey, 'content-type': 'application/json', ...headers },
    });
  }

  /** The OpenAPI description without references. */
  async describe(): Promise<unknown> {
    return resolveReferences(await (await fetch(`${this.at.url}/openapi.json`)).json() as object);
  }

  /** Current contents of tables, blobs and scratch folder. */
  async stored(): Promise<Stored> {
    const { rows } = await this.database.query<{ count: string }>('SELECT count(*) FROM batches');
    let blobs = 0;
    for await (const blob of this.blobs.list()) blobs += blob.bytes > 0 ? 1 : 0;
    return { rows: Number(rows[0]?.count), blobs, scratch: await readdir(this.scratch) };
  }

  /** The rows of a stored batch in file order, read by DuckDB from the Parquet blob. */
  async readBack(batchId: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.database.query<{ blob: string }>('SELECT blob FROM batches WHERE batch_id = $1', [batchId]);
    const path = await this.blobs.localPath(rows[0]?.blob ?? '');
    return readParquet(path);
  }
}
