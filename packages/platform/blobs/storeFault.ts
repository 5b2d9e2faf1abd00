import { platformErrors } from '../errors/platformErrors.ts';
import { Problem } from '../errors/problem.ts';

/** System error codes that mean that the store cannot be reached. Operations on local files never fail with these codes. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ERR_STREAM_PREMATURE_CLOSE',
]);
const retryAfterSeconds = 15;

/**
 * Converts the error of a failed request to an object store: no space becomes Problem `storage-full`; an unreachable store, or a rejected request,
 * becomes Problem `storage-unavailable`. Errors that do not come from the store are returned unchanged.
 */
export function asStoreFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const status = statusOf(error);
  if (status === 507 || error.name === 'QuotaExceeded') {
    return platformErrors.problem('storage-full', 'The object store is full; none of this content was kept.', { cause: error });
  }
  const code = (error as { code?: unknown }).code;
  const what = typeof code === 'string' ? code : error.name;
  if (isAway(error, status)) {
    return platformErrors.problem('storage-unavailable',
      `The object store cannot be reached (${what}). Nothing was changed. Repeat the request; if the error persists, run \`vouch doctor\`.`,
      { cause: error, headers: { 'retry-after': String(retryAfterSeconds) } });
  }
  if (!('$metadata' in error) && error.name !== 'CredentialsProviderError') return error;
  return platformErrors.problem('storage-unavailable',
    `The object store denies the request (${what}). Nothing was changed. Run \`vouch doctor\`, which shows the bucket and the reason.`, { cause: error });
}

/** Returns whether an error is temporary, i.e. ends once the object store can be reached again. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof Problem && error.code === 'storage-unavailable' && 'retry-after' in error.headers;
}

/** Returns the HTTP status of the store's answer, or undefined if the error contains no answer. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}

/** Returns whether an error means that the store gave no answer. */
export function isUnreachable(error: Error): boolean {
  return unreachableCodes.has((error as { code?: unknown }).code) || error.name === 'TimeoutError';
}

function isAway(error: Error, status: number | undefined): boolean {
  return isUnreachable(error) || status === 429 || (status !== undefined && status >= 500);
}
