import type { Platform } from '@vouch/platform/product/product';
import type { Connection } from '@vouch/platform/database/database';
import { countAhead } from '@vouch/platform/jobs/countAhead';
import type { Job } from '@vouch/platform/jobs/job';
import type { Problem } from '@vouch/platform/errors/problem';
import { hookLinkMs, statusLinkMs, type ArtifactLinks } from '../artifacts/artifactLinks.ts';
import { listOutputs, listOutputsOf } from '../artifacts/outputStore.ts';
import { videoErrors } from '../errors/videoErrors.ts';
import { isUuid } from '../artifacts/isUuid.ts';
import type { RunRecord } from './run.schema.ts';
import { toRunRecord } from './runRecord.ts';
import { findRun, findRuns } from './runStore.ts';
import { summarizeKind } from './summarizeKind.ts';

/**
 * Returns the record of a run.
 * @throws Problem `unknown-run` for unknown ids and for runs of other organizations
 */
export async function fetchRun(platform: Platform, links: ArtifactLinks, organizationId: string, id: string): Promise<RunRecord> {
  // Ids are in lower case, so any other text is unknown.
  const job = isUuid(id) && id === id.toLowerCase() ? await platform.jobs.get(organizationId, id) : null;
  // Read the row after the job: the transaction that ends the job also writes the results into the row.
  const record = job === null ? null : await describeRun(platform, links, platform.database, job, statusLinkMs);
  if (record === null) throw unknownRun(id);
  return record;
}

/** Returns the records of the runs with these ids, in the order of the ids. */
export async function fetchRuns(platform: Platform, links: ArtifactLinks, organizationId: string, ids: readonly string[]): Promise<RunRecord[]> {
  const { database, publicUrl } = platform;
  const jobs = await platform.jobs.getAll(organizationId, ids);
  // Read after the jobs, as in `fetchRun`.
  const runs = new Map((await findRuns(database, organizationId, ids)).map((run) => [run.runId, run]));
  const outputs = await listOutputsOf(database, ids);
  const ahead = await countQueued(database, organizationId, [...jobs.values()]);
  const link = await links.signer(statusLinkMs);
  const now = platform.clock.now();
  return ids.flatMap((id) => {
    const [job, run] = [jobs.get(id), runs.get(id)];
    return job === undefined || run === undefined ? [] : [toRunRecord({ run, job, ahead: ahead.get(id) ?? null, outputs: outputs.get(id) ?? [], link, publicUrl, now })];
  });
}

/** Returns the record of a job's run; null if the job is of another kind. */
export async function describeRun(
  platform: Platform, links: ArtifactLinks, connection: Connection, job: Job, linkMs: typeof statusLinkMs | typeof hookLinkMs,
): Promise<RunRecord | null> {
  const run = await findRun(connection, job.organizationId, job.id);
  if (run === null) return null;
  const outputs = await listOutputs(connection, job.id);
  const ahead = (await countQueued(connection, job.organizationId, [job])).get(job.id) ?? null;
  const link = await links.signer(linkMs);
  return toRunRecord({ run, job, ahead, outputs, link, publicUrl: platform.publicUrl, now: platform.clock.now() });
}

/** Counts the runs ahead of those of the jobs that are in the queue, keyed by id. */
function countQueued(connection: Connection, organizationId: string, jobs: readonly Job[]): Promise<ReadonlyMap<string, number>> {
  return countAhead(connection, organizationId, summarizeKind, jobs.flatMap(({ id, status }) => (status === 'queued' ? [id] : [])));
}

function unknownRun(id: string): Problem {
  return videoErrors.problem(
    'unknown-run', `No run has the id ${JSON.stringify(id.slice(0, 80))}. Use the run_id that POST /v1video-summarization/create returned.`);
}
