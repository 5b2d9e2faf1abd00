import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { measureContent } from '@vouch/platform/blobs/receiveContent';
import { hangUp, hearParent, tellParent } from '@vouch/platform/process/nodeParent';
import { evaluate } from '../../engine/evaluation/evaluate.ts';
import { computeFactors } from '../../engine/factors/computeFactors.ts';
import { writeModel } from '../../engine/modelFile/writeModel.ts';
import { computeNeighbours } from '../../engine/neighbours/computeNeighbours.ts';
import type { TrainingData, TrainingOptions } from '../../engine/trainingData.ts';
import { readTrainingData } from '../arrays/readTrainingData.ts';
import { readArrays, writeArrays } from './arraysFile.ts';
import { readFactors, writeFactors } from './factorsFile.ts';
import type { StageFile, TrainingMessage, TrainingStage, TrainingTask } from './trainingTask.ts';

// The program of a training process: runs the stages that are not finished yet, leaves a file after each, and says so.

hearParent((task) => {
  train(task as TrainingTask)
    .then(hangUp)
    .catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    });
});

async function train(task: TrainingTask): Promise<void> {
  const options: TrainingOptions = { setting: task.setting, seed: task.seed };
  const data = await arrays(task);
  if (task.finished.neighbours === undefined) await model(task, data, options);
  await say({ kind: 'evaluate', evaluation: evaluate(data, options, reportTo('evaluate')) });
}

async function arrays(task: TrainingTask): Promise<TrainingData> {
  if (task.finished.arrays !== undefined) return readArrays(task.finished.arrays);
  const limits = { memory: task.duckDbMemory, threads: 2, temporaryFolder: join(task.folder, 'duckdb') };
  const { data, summary } = await readTrainingData(task.files, task.cutoffMs, limits, reportTo('arrays'));
  const path = join(task.folder, 'arrays.bin');
  await writeArrays(path, data);
  await say({ kind: 'arrays', file: await measure(path), summary });
  return data;
}

async function model(task: TrainingTask, data: TrainingData, options: TrainingOptions): Promise<void> {
  let factors;
  if (task.finished.factors === undefined) {
    factors = computeFactors(data, options, reportTo('factors'));
    const path = join(task.folder, 'factors.bin');
    await writeFactors(path, factors);
    await say({ kind: 'factors', file: await measure(path) });
  } else {
    factors = await readFactors(task.finished.factors);
  }
  const trained = computeNeighbours(data, factors, options, reportTo('neighbours'));
  const path = join(task.folder, 'model.bin');
  await writeModel(trained, path);
  await say({ kind: 'neighbours', file: await measure(path) });
}

/** Hashes the file of a stage here, where the time belongs to nobody's query. */
async function measure(path: string): Promise<StageFile> {
  return { path, ...(await measureContent(createReadStream(path))) };
}

/** Progress is said in whole per cent; the stages' own files are what matters. */
function reportTo(stage: TrainingStage): (fraction: number) => void {
  let said = -1;
  return (fraction) => {
    const percent = Math.floor(fraction * 100);
    if (percent === said) return;
    said = percent;
    void say({ kind: 'progress', stage, fraction }).catch(() => process.exit(1));
  };
}

function say(message: TrainingMessage): Promise<void> {
  return tellParent(message);
}
