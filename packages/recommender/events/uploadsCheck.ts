import { createLogger } from '@vouch/platform/log/logger';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { recommenderFindings } from '../errors/recommenderFindings.ts';
import { RecentEvents } from './recentEvents.ts';
import { RecentUploads, type UploadPlatform } from './recentUploads.ts';
import type { UploadLimits } from './chooseUploads.ts';

const filesNamed = 5;

/**
 * Reports the uploaded files that count in lists only after the next training. Reads the files as a server that starts now, because the memory that a file takes,
 * and whether it can be read, are known only afterwards.
 */
export function uploadsCheck(platform: UploadPlatform, limits?: UploadLimits): DoctorCheck {
  return { name: 'uploaded interactions', run: async () => [await checkUploads({ ...platform, log: createLogger('silent') }, limits)] };
}

async function checkUploads(platform: UploadPlatform, limits?: UploadLimits): Promise<Finding> {
  const { rows } = await platform.database.query<{ there: boolean }>(`SELECT to_regclass('batches') IS NOT NULL AND EXISTS (
    SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'trainings' AND column_name = 'batches_through') AS there`);
  if (rows[0]?.there !== true) return { status: 'ok', detail: 'nothing was uploaded yet' };
  const uploads = new RecentUploads(platform, new RecentEvents(), limits);
  await uploads.look(new AbortController().signal);
  const { waiting } = uploads;
  if (waiting.length === 0) return { status: 'ok', detail: 'every uploaded file counts in lists, or is part of the trainings' };
  const named = waiting.slice(0, filesNamed).map(({ batch, cause }) => `the batch ${batch.batchId} of the organization ${batch.organizationId} (${batch.rows} rows) ${cause}`);
  const more = waiting.length > filesNamed ? `; and ${waiting.length - filesNamed} more` : '';
  return recommenderFindings.found('uploads-waiting', `${waiting.length} uploaded ${waiting.length === 1 ? 'file does' : 'files do'} not count in lists before the next training: ${named.join('; ')}${more}`);
}
