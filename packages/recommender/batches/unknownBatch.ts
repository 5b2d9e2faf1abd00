import type { Connection } from '@vouch/platform/database/database';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { batchExists } from './batchStore.ts';

/** @throws Problem `unknown-batch` for unknown ids and for ids of other organizations */
export async function requireKnownBatch(connection: Connection, organizationId: string, batchId: string): Promise<void> {
  if (await batchExists(connection, organizationId, batchId)) return;
  throw recommenderErrors.problem(
    'unknown-batch', `No batch has the id ${JSON.stringify(batchId)}. GET /v1/recommender/data_batch lists the batches.`,
  );
}
