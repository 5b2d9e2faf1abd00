import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { RecommenderSettings } from '../settings.ts';
import { deleteBatchesRoute } from './deleteBatches.route.ts';
import { listBatchesRoute } from './listBatches.route.ts';
import { uploadBatchRoute } from './uploadBatch.route.ts';

/** What the routes of batches need of the platform. */
export type BatchPlatform = Pick<Platform, 'blobs' | 'clock' | 'database' | 'publicUrl' | 'random' | 'scratch' | 'timers'>;

/** The settings of uploads. */
export type UploadSettings = Pick<RecommenderSettings, 'upload_max_bytes' | 'upload_max_rows' | 'upload_concurrency'>;

/** The three routes of /v1/recommender/data_batch. */
export function batchRoutes(server: FastifyInstance, platform: BatchPlatform, settings: UploadSettings): void {
  uploadBatchRoute(server, platform, settings);
  listBatchesRoute(server, platform);
  deleteBatchesRoute(server, platform);
}
