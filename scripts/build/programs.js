import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** Programs in `dist/` by name, with their sources below `packages/`: what a user starts, and the child processes and threads of that. */
export const programs = {
  vouch: 'vouch/bin/vouch.js',
  run: 'vouch/bin/run.js',
  'train.child': 'recommender/models/training/train.child.ts',
  'convertFile.child': 'recommender/batches/parquet/convertFile.child.ts',
  'engine.child': 'video/engine/process/engine.child.ts',
  'nodeAv.child': 'video/engine/media/nodeAv/nodeAv.child.ts',
  poolWorker: 'recommender/engine/poolWorker.ts',
  poolWatcher: 'recommender/engine/kernels/poolWatcher.mjs',
};

/** Packages that npm installs beside `dist/`, because they bring binaries or are loaded only where a setting asks for them. */
export const installed = ['@duckdb/node-api', 'node-av', '@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/client-kms', 'google-auth-library'];

/** Asked for by bundled packages, which do without them. */
export const neverInstalled = ['bufferutil', 'pg-native', 'utf-8-validate'];
