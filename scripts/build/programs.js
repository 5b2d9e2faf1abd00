import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Programs in `dist/` by name, with their sources below `packages/`: the programs that users start, and their child processes and
 * threads.
 */
export const programs = {
  vouch: 'vouch/bin/vouch.js',
  run: 'vouch/bin/run.js',
  'train.child': 'recommender/models/training/train.child.ts',
  'convertFile.child': 'recommender/batches/parquet/convertFile.child.ts',
  'readInteractions.child': 'recommender/uploads/readInteractions.child.ts',
  'engine.child': 'video/engine/process/engine.child.ts',
  'nodeAv.child': 'video/engine/media/nodeAv/nodeAv.child.ts',
  poolWorker: 'recommender/engine/poolWorker.ts',
  poolWatcher: 'recommender/engine/kernels/poolWatcher.mjs',
};

/** Packages that are installed by npm instead of bundled, because they contain binaries or only some settings load them. */
export const installed = ['@duckdb/node-api', 'node-av', '@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/client-kms', 'google-auth-library'];

/** Optional dependencies of bundled packages, which work without them. */
export const neverInstalled = ['bufferutil', 'pg-native', 'utf-8-validate'];
