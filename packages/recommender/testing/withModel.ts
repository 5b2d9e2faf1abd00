import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModel, type ModelReader } from '../engine/modelFile/openModel.ts';
import { writeModel } from '../engine/writeModel.ts';
import type { TrainedModel } from '../engine/data/trainedModel.ts';

/** Writes a model to a temporary file, opens the file during `use`, and deletes it; for tests. */
export async function withModel<Result>(
  model: TrainedModel,
  use: (reader: ModelReader) => Result | Promise<Result>,
  memoryBytes?: number,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'query-'));
  try {
    await writeModel(model, join(folder, 'model'));
    const reader = await openModel(join(folder, 'model'), { memoryBytes });
    try {
      return await use(reader);
    } finally {
      await reader.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
