import { availableParallelism, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { listDeployments, type GatewayConfiguration } from '@vouch/gateway/deployments/namedDeployment';
import { listSettings, type SettingEntry } from '@vouch/platform/config/loadConfiguration';
import type { Database } from '@vouch/platform/database/database';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { readCrashes } from '../../doctor/crashCheck.ts';
import { runChecks, type Report } from '../../doctor/runChecks.ts';
import { describeFailure } from '../../terminal/describeFailure.ts';
import type { Crash } from '../../terminal/supervisor.ts';
import { readConfiguration, settingSchemas, type Configuration } from '../../wiring/configuration.ts';
import { version } from '../../wiring/version.ts';
import { withPlatform } from '../../wiring/withPlatform.ts';
import { listSecrets, redact } from './redact.ts';

/** What a person who helps needs to know of an installation. JSON; without secrets, and without the data of its users. */
export interface SupportBundle {
  format: 'vouch support bundle';
  version: 1;
  created_at: string;
  program: { vouch: string; node: string; system: string; processors: number; memory_bytes: number };
  /** Settings that differ from their defaults; a secret is `[set]`. Or why the settings cannot be read. */
  settings: Readonly<Record<string, unknown>> | { unreadable: string };
  findings: readonly Report[];
  /** Or why they are left out. */
  crashes: readonly Crash[] | { unreadable: string };
  /** Or why the database cannot be read. */
  database: DatabaseFacts | { unreadable: string };
}

interface DatabaseFacts {
  server: string;
  migrations: readonly string[];
  /** Rows by table, as PostgreSQL estimates them. */
  tables: Readonly<Record<string, number>>;
  jobs: readonly { kind: string; status: string; count: number; oldest: string }[];
  /** The last jobs that ended with an error: no input, and of the error only its code. */
  failed: readonly { kind: string; stage: string | null; attempt: number; created_at: string; completed_at: string; code: string | null }[];
}

const failedShown = 50;

/** Collects the facts. A part that cannot be read has the reason in its place. */
export async function collectSupport(): Promise<SupportBundle> {
  const entries = listSettings(settingSchemas);
  const { configuration, settings } = readSettings(entries);
  const findings = await runChecks();
  return redact({
    format: 'vouch support bundle',
    version: 1,
    created_at: new Date(systemInterfaces.clock.now()).toISOString(),
    program: { vouch: version, node: process.versions.node, system: `${process.platform} ${process.arch} ${release()}`, processors: availableParallelism(), memory_bytes: totalmem() },
    settings,
    // The finding about crashes repeats the text of an error.
    findings: configuration === null ? findings.filter(({ check }) => check !== 'crashes') : findings,
    crashes: configuration === null ? { unreadable: 'The settings cannot be read, so secrets in the texts of errors cannot be recognized.' } : await readCrashes(resolve(configuration.data, 'crashes')),
    database: await withPlatform(({ database, postgres }) => databaseFacts(database, postgres), 'as-is').catch((error: unknown) => ({ unreadable: describeFailure(error) })),
  }, configuration === null ? [] : listSecrets(entries, listDeployments(configuration as Configuration & GatewayConfiguration).map((deployment) => deployment.settings)));
}

function readSettings(entries: readonly SettingEntry[]): { configuration: Configuration | null; settings: SupportBundle['settings'] } {
  try {
    const configuration = readConfiguration();
    return { configuration, settings: changedSettings(entries, configuration) };
  } catch (error) {
    return { configuration: null, settings: { unreadable: describeFailure(error) } };
  }
}

function changedSettings(entries: readonly SettingEntry[], configuration: Configuration): Record<string, unknown> {
  const given = entries.filter(({ key, default: fallback }) => configuration[key] !== undefined && String(configuration[key]) !== fallback);
  return Object.fromEntries(given.map(({ key, variable, secret }) => [variable, secret ? '[set]' : configuration[key]]));
}

async function databaseFacts(database: Database, server: string): Promise<DatabaseFacts> {
  // The database of a new installation has no tables yet, which the finding migrations-pending explains.
  const { rows: [found] } = await database.query<{ tables: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AND to_regclass('jobs') IS NOT NULL AS tables`);
  if (found?.tables !== true) return { server, migrations: [], tables: {}, jobs: [], failed: [] };
  const [migrations, tables, jobs, failed] = await Promise.all([
    database.query<{ name: string }>(`SELECT product || '/' || name AS name FROM migrations ORDER BY product, name`),
    database.query<{ name: string; rows: number }>(`SELECT relname AS name, greatest(reltuples, 0)::float8 AS rows FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`),
    database.query<{ kind: string; status: string; count: number; oldest: Date }>('SELECT kind, status, count(*)::int AS count, min(created_at) AS oldest FROM jobs GROUP BY kind, status ORDER BY kind, status'),
    database.query<{ kind: string; stage: string | null; attempt: number; created_at: Date; completed_at: Date; code: string | null }>(
      `SELECT kind, stage, attempt, created_at, completed_at, error ->> 'code' AS code FROM jobs WHERE status = 'error' ORDER BY completed_at DESC LIMIT $1`, [failedShown]),
  ]);
  return {
    server,
    migrations: migrations.rows.map(({ name }) => name),
    tables: Object.fromEntries(tables.rows.map(({ name, rows }) => [name, rows])),
    jobs: jobs.rows.map((row) => ({ ...row, oldest: row.oldest.toISOString() })),
    failed: failed.rows.map((row) => ({ ...row, created_at: row.created_at.toISOString(), completed_at: row.completed_at.toISOString() })),
  };
}
