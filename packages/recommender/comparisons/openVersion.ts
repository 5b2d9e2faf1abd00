import type { Platform } from '@vouch/platform/product/product';
import { openModel, type ModelReader } from '../engine/modelFile/openModel.ts';
import { findVersionBlob } from '../models/versions/versionStore.ts';
import type { ModelCache } from '../recommendations/modelCache.ts';

/** Memory of a version that does not serve. */
const memoryBytes = 64 * 2 ** 20;
/** Pause in ms after each 512 KB while a version is opened, so that other requests are served. */
const restMs = 3;

/** A version of a model in use; the user must call `release` once. */
export interface HeldVersion {
  version: number;
  model: ModelReader;
  release(): Promise<void> | void;
}

/**
 * Opens a version of a model. The version that serves comes from the cache; any other version is opened for the caller alone.
 * @param wanted omitted for the version that serves
 * @throws Problem unknown-model, unknown-version or model-not-ready
 */
export async function openVersion({ platform, models }: { platform: Pick<Platform, 'blobs' | 'database' | 'timers'>; models: ModelCache }, organizationId: string, modelId: string, wanted: number | undefined): Promise<HeldVersion> {
  const held = await models.hold(organizationId, modelId);
  if (wanted === undefined || wanted === held.version) return { version: held.version, model: held.recommender.model.trained, release: held.release };
  held.release();
  const { blobs, database, timers } = platform;
  const blob = await findVersionBlob(database, organizationId, modelId, wanted);
  const model = await openModel(await blobs.localPath(blob), { memoryBytes, rest: () => timers.sleep(restMs) });
  return { version: wanted, model, release: () => model.close() };
}
