import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { measureContent } from '@vouch/platform/blobs/receiveContent';
import { disconnect, onMessage, send } from '@vouch/platform/process/nodeChild';
import { numberItems } from '../../engine/catalogue/numberItems.ts';
import { openWorkerPool } from '../../engine/kernels/workerPool.ts';
import { giveBackWorkspace, workspaceOf } from '../../engine/kernels/workspace.ts';
import { evaluate } from '../../engine/evaluation/evaluate.ts';
import type { SettingChoice } from '../../engine/choice/choice.ts';
import { computeFactors } from '../../engine/factors/computeFactors.ts';
import { fittingShare, samplePairs } from '../../engine/factors/sampleUsers.ts';
import type { Factors } from '../../engine/factors/factorise.ts';
import { historyCap } from '../../engine/matrix/interactions.ts';
import { estimateMemory } from '../../engine/memory/estimateMemory.ts';
import { writeModel } from '../../engine/writeModel.ts';
import { computeNeighbours } from '../../engine/neighbours/computeNeighbours.ts';
import { closeListFile, openListFile } from '../../engine/lists/listFile.ts';
import type { TrainingData, TrainingOptions } from '../../engine/data/trainingData.ts';
import { chooseOpen, operatorSetting } from './operatorSetting.ts';
import type { DuckDbLimits } from '../arrays/duckdb.ts';
import { decayWeights } from '../arrays/decayWeights.ts';
import { countIds } from '../arrays/countIds.ts';
import { surveyTexts } from '../arrays/surveyTexts.ts';
import { limitTimes } from '../arrays/limitTimes.ts';
import { describeFault } from '../../expressions/expressionProblem.ts';
import { ExpressionFault } from '../../expressions/expressionValue.ts';
import { loadPreparedData, loadTrainingData } from '../arrays/loadTrainingData.ts';
import type { DataSummary } from '../arrays/trainingSnapshot.ts';
import { filterData, FilterTooExpensive } from '../filter/filterData.ts';
import { loadCandidates } from '../spark/loadCandidates.ts';
import { loadArrays, writeArrays } from './arraysFile.ts';
import { collectGarbage } from './collectGarbage.ts';
import { loadFactors, writeFactors } from './factorsFile.ts';
import type { TrainingStage } from './trainingStages.ts';
import type { StageFile, TrainingMessage, TrainingTask } from './trainingTask.ts';

// Program of a training process: runs the unfinished stages, writes a file after each stage, and reports the file to the
// parent.

/** With fewer interactions, starting threads takes longer than the threads save. */
const threadedPairs = 300_000;
/** Maximum number of threads; with more threads, memory bandwidth is the bottleneck. */
const maxThreads = 8;

const leastReportMs = 20;

/** Share of the `factors` stage's progress for the choice of a setting. */
const choiceShare = 0.6;

onMessage((task) => {
  train(task as TrainingTask)
    .then(disconnect)
    .catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    });
});

async function train(task: TrainingTask): Promise<void> {
  const data = await arrays(task);
  if (data === null) return;
  collectGarbage();
  await openWorkerPool(threadsFor(data));
  const { factors, choice } = await chosenFactors(task, data);
  if (task.spark?.candidates === null) return;
  const trend = task.trendingHalfLifeDays === null ? {} : { trendHalfLifeDays: task.trendingHalfLifeDays };
  const options: TrainingOptions = { ...optionsOf(task, choice), ...trend };
  if (factors !== null) await model(task, data, factors, options);
  await say({ kind: 'evaluate', evaluation: evaluate(samplePairs(data, factorShare(task, data), task.seed), options, reportTo('evaluate')) });
}

function threadsFor({ pairs }: TrainingData): number {
  return pairs.count < threadedPairs ? 1 : Math.min(maxThreads, availableParallelism());
}

/** Returns the data; null if its columns do not fit the filter. */
async function arrays(task: TrainingTask): Promise<TrainingData | null> {
  if (task.finished.arrays !== undefined) return loadArrays(task.finished.arrays);
  const prepared = task.spark?.prepared ?? null;
  const read = prepared === null
    ? await loadTrainingData(task.files, task.cutoffMs, duckDbLimits(task), reportTo('arrays'), task.weights)
    : await loadPreparedData(prepared, task.batches, duckDbLimits(task), reportTo('arrays'));
  const filtered = task.filter === null ? read : await filterOrRefuse(read, task.filter);
  if (filtered === null) return null;
  const { data: loaded, summary: counted } = filtered;
  const timed = task.latestMs === null ? counted : withoutFuture(loaded, counted, task.latestMs);
  const summary = { ...timed, entities: { ...timed.entities, ...surveyTexts(loaded) }, interactions: { ...timed.interactions, ids: countIds(loaded) } };
  const data = task.recencyHalfLifeDays === null ? loaded : decayWeights(loaded, task.recencyHalfLifeDays);
  const path = join(task.folder, 'arrays.bin');
  await writeArrays(path, data);
  const hasAls = (operatorSetting(task.setting, null).als ?? 0) > 0;
  await say({ kind: 'arrays', file: await measure(path), summary, neededBytes: estimateMemory(data, threadsFor(data), hasAls) });
  return data;
}

interface ReadData {
  data: TrainingData;
  summary: DataSummary;
}

async function filterOrRefuse({ data, summary }: ReadData, text: string): Promise<ReadData | null> {
  try {
    const { data: left, filter } = filterData(data, text);
    return { data: left, summary: { ...summary, filter, interactions: { ...summary.interactions, used: left.pairs.count, disliked: left.dislikes?.count ?? 0 } } };
  } catch (error) {
    if (error instanceof ExpressionFault) await say({ kind: 'refused', code: 'invalid-expression', detail: describeFault('filter', text, error) });
    else if (error instanceof FilterTooExpensive) await say({ kind: 'refused', code: 'expression-too-expensive', detail: error.message });
    else throw error;
    return null;
  }
}

function withoutFuture({ pairs }: TrainingData, summary: DataSummary, latestMs: number): DataSummary {
  const { future, newest, oldest, early } = limitTimes(pairs, latestMs);
  const interactions = { ...summary.interactions, ...(Number.isNaN(oldest) ? {} : { oldest_timestamp: new Date(oldest).toISOString() }), ...(early === 0 ? {} : { early }) };
  if (future === 0) return { ...summary, interactions };
  return { ...summary, interactions: { ...interactions, future, newest_timestamp: Number.isNaN(newest) ? null : new Date(newest).toISOString() } };
}

function duckDbLimits(task: TrainingTask): DuckDbLimits {
  return { memory: task.duckDbMemory, threads: 2, temporaryFolder: join(task.folder, 'duckdb') };
}

/** Share of the users for computing factors. If Spark is used, the share is limited to the users that fit into memory. */
function factorShare(task: TrainingTask, data: TrainingData): number {
  if (task.spark === null) return 1;
  const { itemNode, userNode } = numberItems(data);
  return fittingShare(userNode.length, itemNode.length, data.pairs.count);
}

/**
 * Returns the factors and the choice made before the factors. The factors are null if the lists computed from them are
 * already finished.
 */
async function chosenFactors(task: TrainingTask, data: TrainingData): Promise<{ factors: Factors | null; choice: SettingChoice | null }> {
  const { finished, choice: known, setting, seed } = task;
  if (finished.neighbours !== undefined) return { factors: null, choice: known };
  if (finished.factors !== undefined) return { factors: await loadFactors(finished.factors), choice: known };
  const report = reportTo('factors');
  const choice = chooseOpen(setting, data, seed, (fraction) => report(choiceShare * fraction));
  const options = optionsOf(task, choice);
  const begun = choice === null ? 0 : choiceShare;
  const factors = computeFactors(data, options, (fraction) => report(begun + (1 - begun) * fraction), factorShare(task, data));
  const path = join(task.folder, 'factors.bin');
  await writeFactors(path, factors);
  // The message needs a mutable list of candidates.
  await say({ kind: 'factors', file: await measure(path), choice: choice === null ? null : { ...choice, candidates: [...choice.candidates] } });
  return { factors, choice };
}

/** Options of the stages. Spark counts the candidates of the latest items only. */
function optionsOf({ setting, seed, spark }: TrainingTask, choice: SettingChoice | null): TrainingOptions {
  return { setting: operatorSetting(setting, choice), seed, ...(spark === null ? {} : { historyCap }) };
}

async function model(task: TrainingTask, data: TrainingData, factors: Factors, options: TrainingOptions): Promise<void> {
  const path = join(task.folder, 'model.bin');
  const paths = task.spark?.candidates ?? null;
  const candidates = paths === null
    ? null
    : await loadCandidates(paths, numberItems(data), join(task.folder, 'candidates.bin'), duckDbLimits(task));
  collectGarbage();
  const lists = openListFile(join(task.folder, 'lists.bin'));
  try {
    await writeModel(computeNeighbours(data, factors, options, reportTo('neighbours'), candidates, lists), path);
  } finally {
    closeListFile(lists);
    // The evaluation reuses the workspace.
    giveBackWorkspace(workspaceOf(factors.vectors));
    collectGarbage();
  }
  await say({ kind: 'neighbours', file: await measure(path) });
}

/** Hashes the file of a stage in the training process, because the server must answer queries meanwhile. */
async function measure(path: string): Promise<StageFile> {
  return { path, ...(await measureContent(createReadStream(path))) };
}

/** Sends progress in whole per cent, and at most each 20 ms: all per cents of a small training would take an eighth of its processor time. */
function reportTo(stage: TrainingStage): (fraction: number) => void {
  let said = -1;
  let saidAt = -Infinity;
  return (fraction) => {
    const percent = Math.floor(fraction * 100);
    if (percent === said || performance.now() - saidAt < leastReportMs) return;
    said = percent;
    saidAt = performance.now();
    void say({ kind: 'progress', stage, fraction }).catch(() => process.exit(1));
  };
}

function say(message: TrainingMessage): Promise<void> {
  return send(message);
}
