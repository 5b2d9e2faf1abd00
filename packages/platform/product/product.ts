import type { Tracer } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { TObject } from 'typebox';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { ErrorCatalogue } from '../errors/problem.ts';
import type { Fetch } from '../outbound/fetchWhole.ts';
import type { OutboundHttp } from '../outbound/outbound.ts';
import type { JobKind, JobQueue } from '../jobs/job.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Finding, FindingCatalogue } from './findings.ts';

/** The interfaces that the platform passes to each product at startup. */
export interface Platform extends SystemInterfaces {
  log: Logger;
  database: Database;
  blobs: Blobs;
  jobs: JobQueue;
  webhooks: Webhooks;
  outbound: OutboundHttp;
  metrics: Registry;
  /** Null if the process sends no traces. */
  tracer: Tracer | null;
  /** Folder for this process's temporary files, on the same file system as the data. */
  scratch: string;
  /** Public URL without a slash at the end, for links. */
  publicUrl: string;
}

/** The running parts of a product, as `build` returns them. */
export interface ProductParts {
  /** Adds the product's routes to the server. */
  routes(server: FastifyInstance): void;
  jobs: readonly JobKind[];
  checks: readonly DoctorCheck[];
  /** Starts background work. Called only in a process that serves requests, not in a worker or for a check. */
  start?(): void;
  close(): Promise<void>;
}

/** One check of `vouch doctor`. */
export interface DoctorCheck {
  name: string;
  run(): Promise<Finding[]>;
}

/** The interface of a demo step: the public HTTP interface with a key, and functions to print. */
export interface DemoContext {
  baseUrl: string;
  apiKey: string;
  /** Shell expression for the key, for printed command lines, which must not contain the key itself. */
  apiKeyInShell: string;
  fetch: Fetch;
  print(text: string): void;
  /** Suggests a command line that works while the demo runs. The demo prints it at its end, but not with --once. */
  suggest(purpose: string, commandLine: string): void;
  table(title: string, columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void;
  /** Folder of the demo for files that people may inspect; kept between demos. */
  folder: string;
  /**
   * Serves a file on the loopback interface while the demo runs, and returns its URL. This is the only private address that the demo's server may
   * fetch from.
   */
  share(path: string): string;
  system: SystemInterfaces;
}

/** One step of the demo. */
export interface DemoStep {
  name: string;
  run(context: DemoContext): Promise<void>;
}

/**
 * One product: all facts that startup, documentation and tests need.
 * @example
 * export const notes: Product = {
 *   name: 'notes',
 *   configuration: Type.Object({ notes_limit: Type.Integer({ minimum: 1, default: 100, description: 'Upper bound for the notes of an organization.' }) }),
 *   errors: noteErrors,
 *   findings: noteFindings,
 *   migrations: new URL('./migrations/', import.meta.url),
 *   blobReferences: 'SELECT blob FROM notes',
 *   build: ({ database }, settings) => ({ routes: (server) => listNotesRoute(server, database), jobs: [], checks: [], close: async () => {} }),
 *   demo: [],
 * };
 */
export interface Product {
  name: string;
  /** Settings of the product. The variable of a key is VOUCH_ and the key in upper case. */
  configuration: TObject;
  errors: ErrorCatalogue;
  /** Findings of the product's checks. */
  findings: FindingCatalogue;
  /** Folder with numbered SQL files, applied in the order of their names, under the product's own name. */
  migrations: URL;
  /** SQL that returns one text column: all blobs that the product's rows name. */
  blobReferences: string;
  /** Creates the running parts from validated settings. */
  build(platform: Platform, settings: Readonly<Record<string, unknown>>): ProductParts;
  demo: readonly DemoStep[];
}
