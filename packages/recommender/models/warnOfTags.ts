import { nearestName } from '@vouch/platform/config/nearestName';
import type { Connection } from '@vouch/platform/database/database';
import { listTags, listUnmatchedTags } from '../batches/batchStore.ts';
import type { TrainingWarning } from './training/training.schema.ts';

/** Returns one warning per tag that no batch currently has; such tags are usually misspelt. */
export async function warnOfTags(connection: Connection, organizationId: string, dataTags: readonly string[]): Promise<TrainingWarning[]> {
  const unmatched = await listUnmatchedTags(connection, organizationId, dataTags);
  if (unmatched.length === 0) return [];
  const known = await listTags(connection, organizationId);
  const outcome = unmatched.length < dataTags.length
    ? 'The training uses the batches that have the other tags.'
    : 'No batch has any of data_tags, so the training fails unless one is uploaded before it starts.';
  return unmatched.map((tag) => {
    const nearest = nearestName(tag, known);
    const hint = nearest === null ? 'GET /v1/recommender/data_batch lists the batches and their tags.' : `Did you mean ${JSON.stringify(nearest)}?`;
    return { code: 'unmatched-tag', detail: `No batch has the tag ${JSON.stringify(tag)}. ${hint} ${outcome}` };
  });
}
