import type { FastifyInstance } from 'fastify';
import type { BatchPlatform, UploadSettings } from './batchPlatform.ts';
import { deleteBatchesRoute, type FoldTagged } from './deleteBatches.route.ts';
import { listBatchesRoute } from './listBatches.route.ts';
import { uploadBatchRoute } from './uploadBatch.route.ts';

/** Registers the three routes of /v1/recommender/data_batch. */
export function batchRoutes(server: FastifyInstance, platform: BatchPlatform, settings: UploadSettings, foldTagged: FoldTagged): void {
  uploadBatchRoute(server, platform, settings);
  listBatchesRoute(server, platform);
  deleteBatchesRoute(server, platform, foldTagged);
}
