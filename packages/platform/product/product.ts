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
import type { SystemInterfaces } from '../process/doors.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** Everything the platform hands to a product at the wiring. */
export interface Platform extends SystemInterfaces {
  log: Logger;
  database: Database;
  blobs: Blobs;
  jobs: JobQueue;
  webhooks: Webhooks;
  outbound: OutboundHttp;
  metrics: Registry;
  /** Folder for this process's temporary files, on the same file system as the data. */
  scratch: string;
  /** Public address without a slash at its end, for links. */
  publicUrl: string;
}

/** What a product's construction gives: the living parts. */
export interface ProductParts {
  /** Adds the product's routes to the server. */
  routes(server: FastifyInstance): void;
  jobs: readonly JobKind[];
  checks: readonly DoctorCheck[];
  /** Begins what runs beside the requests. Only a process that serves calls it: a check or a worker leaves it alone. */
  start?(): void;
  close(): Promise<void>;
}

/** A finding of `vouch doctor`. */
export interface Finding {
  status: 'ok' | 'warning' | 'fault';
  /** What was found, with values. */
  detail: string;
  /** What to do about it; required unless ok. */
  remedy?: string;
}

export interface DoctorCheck {
  name: string;
  run(): Promise<Finding[]>;
}

/** What a demo step may use: the public interface with a key, and a place to print. */
export interface DemoContext {
  baseUrl: string;
  apiKey: string;
  /** What a shell replaces by the key, for command lines that are printed: the key itself is not. */
  apiKeyInShell: string;
  fetch: Fetch;
  print(text: string): void;
  /** Suggests a command line that works while the demo serves. The demo prints it at its end, and not at all with --once. */
  suggest(purpose: string, commandLine: string): void;
  table(title: string, columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void;
  /** Folder of the demo, for files that a person may look at; kept from one demo to the next. */
  folder: string;
  /** Serves a file on this machine's loopback address while the demo runs, the one private address that the demo's server may fetch from. */
  share(path: string): string;
  doors: SystemInterfaces;
}

export interface DemoStep {
  name: string;
  run(context: DemoContext): Promise<void>;
}

/** One product: everything the wiring, the docs and the tests need to know of it. */
export interface Product {
  name: string;
  /** Settings; a key is its variable without VOUCH_ in lower case. */
  configuration: TObject;
  errors: ErrorCatalogue;
  /** Folder of numbered SQL files; applied in the order of their names under the product's own name. */
  migrations: URL;
  /** SQL that returns one text column: every blob the product's rows name. */
  blobReferences: string;
  /** Builds the living parts from checked settings. */
  build(platform: Platform, settings: Readonly<Record<string, unknown>>): ProductParts;
  demo: readonly DemoStep[];
}
