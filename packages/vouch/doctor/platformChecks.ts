import { sampleNamed } from '@vouch/platform/blobs/sampleNamed';
import { countTombstones } from '@vouch/platform/blobs/collectBlobs';
import { findStoreOwner } from '@vouch/platform/blobs/storeOwner';
import { listStuckJobs, type StuckJob } from '@vouch/platform/jobs/jobState';
import { readMigrations } from '@vouch/platform/database/migrate';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import { checkCallbacks } from './callbacksCheck.ts';
import { explainStore } from './explainStore.ts';
import { blobReferences } from '../wiring/blobReferences.ts';
import { migrationSets, type OpenPlatform } from '../wiring/openPlatform.ts';
import { explainOwner, storeOf } from '../wiring/storeOwnership.ts';

const maxClockDifferenceMs = 5_000;

/** Checks that need the database and the blob store. */
export function platformChecks(platform: OpenPlatform): DoctorCheck[] {
  return [
    { name: 'PostgreSQL', run: () => checkDatabase(platform) },
    { name: 'blobs', run: () => checkBlobs(platform) },
    { name: 'clock', run: () => checkClock(platform) },
    { name: 'addresses', run: async () => [checkAddresses(platform)] },
    { name: 'jobs', run: () => checkJobs(platform) },
    { name: 'callbacks', run: async () => {
      if (!(await tableExists(platform.database, 'webhook_deliveries'))) return [{ status: 'ok', detail: 'no callbacks yet' }];
      if ((await missingMigrations(platform.database)).length > 0) return [{ status: 'ok', detail: 'not checked: the tables are not up to date' }];
      return checkCallbacks(platform.database);
    } },
  ];
}

async function checkDatabase({ database, postgres }: OpenPlatform): Promise<Finding[]> {
  const version = await database.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const findings: Finding[] = [{ status: 'ok', detail: `${postgres}, version ${version.rows[0]?.version}` }];
  const missing = await missingMigrations(database);
  if (missing.length > 0) {
    findings.push(platformFindings.found('migrations-pending', `${missing.length} changes of the tables are not applied yet`));
  }
  return findings;
}

async function missingMigrations(database: OpenPlatform['database']): Promise<{ product: string; name: string }[]> {
  const applied = await tableExists(database, 'migrations') ? await database.query<{ name: string }>(`SELECT product || '/' || name AS name FROM migrations`) : { rows: [] };
  const names = new Set(applied.rows.map(({ name }) => name));
  const wanted = (await Promise.all(migrationSets.map((set) => readMigrations(set)))).flat();
  return wanted.filter(({ product, name }) => !names.has(`${product}/${name}`));
}

async function checkBlobs(platform: OpenPlatform): Promise<Finding[]> {
  const { blobs, database } = platform;
  try {
    await blobs.check();
  } catch (error) {
    const finding = await explainStore(blobs);
    if (finding === null) throw error;
    return [finding];
  }
  const findings: Finding[] = [{ status: 'ok', detail: `${blobs.place} can be written and read` }];
  if ((await missingMigrations(database)).length > 0) return findings;
  const fault = explainOwner(blobs.place, await findStoreOwner(storeOf(platform)));
  if (fault !== null) findings.push(fault);
  const marked = await countTombstones(database);
  if (marked.blobs > 0) findings.push({ status: 'ok', detail: `${marked.blobs} files that nothing names any more (${(marked.bytes / 1e9).toFixed(1)} GB) are removed within a day` });
  const { looked, missing, read, readBytes, damaged } = await sampleNamed(platform, blobReferences);
  if (missing.length > 0) {
    findings.push(platformFindings.found('files-missing', `of ${looked} files that the database names, ${missing.length} are not in ${blobs.place}, e.g. ${missing[0]}`));
  }
  if (damaged.length > 0) {
    findings.push(platformFindings.found('files-damaged', `of ${read} files (${(readBytes / 1e6).toFixed(1)} MB) in ${blobs.place} that were read, ${damaged.length} do not have the content that the database names, e.g. ${damaged[0]}`));
  }
  return findings;
}

async function checkClock(platform: OpenPlatform): Promise<Finding[]> {
  const store = platform.blobs.clockDifferenceMs?.() ?? null;
  return [await compareWithDatabase(platform), ...(store === null ? [] : [judgeClock('the object store', store)])];
}

async function compareWithDatabase({ database, clock }: OpenPlatform): Promise<Finding> {
  const before = clock.now();
  const answer = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const after = clock.now();
  const there = answer.rows[0]?.now.getTime() ?? after;
  const difference = Math.round(there - (before + after) / 2);
  return judgeClock('the database', difference);
}

function judgeClock(other: string, differenceMs: number): Finding {
  const detail = `the clocks of this machine and of ${other} differ by ${differenceMs} ms`;
  if (Math.abs(differenceMs) <= maxClockDifferenceMs) return { status: 'ok', detail };
  return platformFindings.found('clocks-differ', detail);
}

function checkAddresses({ configuration }: OpenPlatform): Finding {
  const allowed = configuration.allow_private_addresses;
  if (allowed === false || (Array.isArray(allowed) && allowed.length === 0)) {
    return { status: 'ok', detail: 'callbacks can reach only public IP addresses' };
  }
  if (Array.isArray(allowed)) return { status: 'ok', detail: `callbacks can reach public IP addresses and ${allowed.join(', ')}` };
  return platformFindings.found('addresses-open', 'callbacks can reach every IP address, including private ones');
}

async function checkJobs({ database }: OpenPlatform): Promise<Finding[]> {
  if (!(await tableExists(database, 'jobs'))) return [{ status: 'ok', detail: 'no jobs yet' }];
  if ((await missingMigrations(database)).length > 0) return [{ status: 'ok', detail: 'not checked: the tables are not up to date' }];
  const stuck = await listStuckJobs(database);
  if (stuck.length === 0) return [{ status: 'ok', detail: 'no job is stuck' }];
  return stuck.slice(0, 20).map((job) => platformFindings.found(
    'job-stuck', `${job.kind} ${job.id}: ${job.reason}${job.stage === null ? '' : ` (stage ${job.stage})`}, for ${Math.round(job.seconds / 60)} minutes`, stuckJobRemedies[job.reason],
  ));
}

const stuckJobRemedies: Record<StuckJob['reason'], string> = {
  'no worker runs the job': 'Start `vouch serve` or `vouch worker`, or cancel the job.',
  'the worker died and no other worker took over': 'Start `vouch serve` or `vouch worker`, which take over jobs of dead workers within 12 s.',
  'the job waits for CPU time':
    'Other processes use the CPUs of the machine. End or move these processes, or lower VOUCH_VIDEO_NICENESS or VOUCH_TRAIN_NICENESS to give jobs a larger share.',
  'the job makes no progress': 'Check network, disk and memory of the machine of the worker, or cancel the job.',
  'the worker of the job or the database keeps becoming unavailable': 'Read the system log and the log of the worker for the reason, e.g. a process that was ended because memory ran out, or a full disk of the database. If the job is the cause, cancel the job.',
};

async function tableExists(database: OpenPlatform['database'], name: string): Promise<boolean> {
  const found = await database.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  return found.rows[0]?.there === true;
}
