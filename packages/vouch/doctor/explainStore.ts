import type { Blobs } from '@vouch/platform/blobs/blobs';
import type { Finding } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';

/** Cause and remedy of S3 error codes (documented in the S3 API reference), in terms of the settings of Vouch. */
const meanings: Readonly<Record<string, { what: string; remedy: string }>> = {
  NoSuchBucket: { what: 'the bucket does not exist', remedy: 'Correct VOUCH_S3_BUCKET, or create the bucket.' },
  SignatureDoesNotMatch: { what: 'the secret does not match the access key', remedy: 'Correct VOUCH_S3_SECRET_ACCESS_KEY.' },
  InvalidAccessKeyId: { what: 'the store does not know the access key', remedy: 'Correct VOUCH_S3_ACCESS_KEY_ID.' },
  AccessDenied: { what: 'the access key has no access to this bucket', remedy: 'Grant the key permission to list, read, write and delete in VOUCH_S3_BUCKET, or correct the name of the bucket.' },
  RequestTimeTooSkewed: { what: 'the clock of this machine and the clock of the store differ too much', remedy: 'Synchronize the clock of this machine with NTP.' },
  AuthorizationHeaderMalformed: { what: 'the bucket is in another region', remedy: 'Correct VOUCH_S3_REGION.' },
  PermanentRedirect: { what: 'the bucket is in another region', remedy: 'Correct VOUCH_S3_REGION or VOUCH_S3_ENDPOINT.' },
};

/**
 * Explains why an object store rejects requests, based on its error code. Sends a list request, because most operations begin
 * with a HEAD request, whose response has no body and therefore no error code.
 * @returns null if Vouch has no explanation for the code
 */
export async function explainStore(blobs: Blobs): Promise<Finding | null> {
  if (blobs.kind !== 's3') return null;
  const code = await refusalOf(blobs);
  const meaning = code === null ? undefined : meanings[code];
  if (meaning === undefined) return null;
  return platformFindings.found('store-refused', `${blobs.place} cannot be used: ${meaning.what} (${code})`, meaning.remedy);
}

async function refusalOf(blobs: Blobs): Promise<string | null> {
  try {
    await blobs.list()[Symbol.asyncIterator]().next();
    return null;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error ? cause.name : null;
  }
}
