import type { Platform } from '@vouch/platform/product/product';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';

/** Parts of the platform that the batch routes use. */
export type BatchPlatform = Pick<Platform, 'blobs' | 'clock' | 'database' | 'elapsedMs' | 'publicUrl' | 'random' | 'scratch' | 'timers'>;

/** Settings of uploads. */
export type UploadSettings = Pick<RecommenderSettings, 'upload_max_bytes' | 'upload_max_rows' | 'upload_concurrency'>;
