import { expectStatus, type BatchRecord, type TrainingRecord } from '../../../bench/harness/vouchClient.ts';
import type { MixedWork, Told } from './mixedWork.ts';
import { askModel, clientOf, type JobOutcome } from './place.ts';
import { findRunFaults, type RunRecord } from './videoRuns.ts';
import type { VouchPlace } from './vouchSubjects.ts';

/** What acknowledged work became. */
export interface WorkReport {
  /** Number of acknowledged requests per kind of work. */
  acknowledged: Record<Told['kind'], number>;
  /** Number of jobs per outcome, keyed as `kind status`. */
  ends: Record<string, number>;
  /** Number of jobs that were started more than once, and the highest number of attempts of a job. */
  repeated: number;
  mostAttempts: number;
  /** Acknowledged, but the work does not exist. */
  lost: string[];
  /** The work exists more than once. */
  doubled: string[];
  /** Ended as `job-abandoned`, although no job of this test is faulty. */
  abandoned: string[];
  /** Descriptions of all other faults. */
  faults: string[];
}

/** Compares the jobs, batches, models and runs of an installation with what it acknowledged. The work must have ended. */
export async function compareWork(place: VouchPlace, work: MixedWork, jobs: readonly JobOutcome[]): Promise<WorkReport> {
  const { told } = work;
  const report: WorkReport = {
    acknowledged: { upload: countOf(told, 'upload'), training: countOf(told, 'training'), run: countOf(told, 'run') },
    ends: countBy(jobs.map(({ kind, status }) => `${kind} ${status}`)),
    repeated: jobs.filter(({ attempt }) => attempt > 1).length,
    mostAttempts: Math.max(...jobs.map(({ attempt }) => attempt)),
    lost: [],
    doubled: [],
    abandoned: jobs.filter(({ code }) => code === 'job-abandoned').map(({ kind, id, attempt }) => `${kind} ${id} after ${attempt} attempts`),
    faults: [...work.faults],
  };
  compareUploads(report, told, await clientOf(place).batches());
  compareJobs(report, told, jobs);
  const cancelled = new Set(told.filter((each) => each.cancelled).map(({ id }) => id));
  for (const { kind, id } of told) {
    if (kind === 'training') await checkTraining(report, place, id, cancelled.has(id));
    if (kind === 'run') await checkRun(report, place, id, cancelled);
  }
  return report;
}

function compareUploads({ lost, doubled, faults }: WorkReport, told: readonly Told[], batches: readonly BatchRecord[]): void {
  const rows = new Map<string, number[]>();
  for (const { tags: [tag = ''], interaction_count: count } of batches) rows.set(tag, [...(rows.get(tag) ?? []), count]);
  for (const { kind, id, rows: wanted } of told) {
    if (kind !== 'upload') continue;
    const found = rows.get(id) ?? [];
    if (found.length === 0) lost.push(`upload ${id}`);
    if (found.length > 1) doubled.push(`upload ${id} is there ${found.length} times`);
    if (found.some((count) => count !== wanted)) faults.push(`upload ${id} has ${found.join(', ')} of ${wanted} rows`);
  }
}

/** Every request was repeated until it was answered, so the number of jobs must equal the number of responses. */
function compareJobs({ doubled }: WorkReport, told: readonly Told[], jobs: readonly JobOutcome[]): void {
  const runs = jobs.filter(({ kind }) => kind.startsWith('video')).length;
  if (runs > countOf(told, 'run')) doubled.push(`${runs} runs for ${countOf(told, 'run')} acknowledged ones`);
  const trainings = countBy(jobs.filter(({ kind }) => kind.startsWith('recommender')).map(({ subject }) => subject));
  for (const [id, count] of Object.entries(trainings)) if (count > 1) doubled.push(`${id} has ${count} trainings`);
}

async function checkTraining({ lost, doubled, abandoned, faults }: WorkReport, place: VouchPlace, id: string, cancelled: boolean): Promise<void> {
  const answer = await clientOf(place).get(`/v1/recommender/${id}/status`);
  if (answer.status === 404) return void lost.push(id);
  const record = expectStatus(answer, 200) as TrainingRecord & { serving_version: number | null };
  if (record.error?.code === 'job-abandoned') return void (abandoned.length === 0 && abandoned.push(id));
  if (record.status !== (cancelled ? 'cancelled' : 'completed')) faults.push(`${id} is ${record.status}${cancelled ? ', though it was cancelled' : ''}: ${JSON.stringify(record.error)}`);
  if (record.status !== 'completed') return;
  if (record.serving_version !== 1) doubled.push(`${id} has ${record.serving_version} versions`);
  if (!(await askModel(clientOf(place), id)).includes(',')) faults.push(`${id} is completed and answers nothing`);
}

async function checkRun({ lost, faults }: WorkReport, place: VouchPlace, id: string, cancelled: ReadonlySet<string>): Promise<void> {
  const answer = await clientOf(place).get(`/v1/status/${id}`);
  if (answer.status === 404) return void lost.push(`run ${id}`);
  const record = expectStatus(answer, 200) as RunRecord;
  if (record.error?.code !== 'job-abandoned') faults.push(...await findRunFaults(record, cancelled));
}

function countOf(told: readonly Told[], kind: Told['kind']): number {
  return told.filter((each) => each.kind === kind).length;
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
