import type { UploadedBatch } from './uploadedFile.ts';

/** Limits of the uploaded files that each process keeps in memory. */
export interface UploadLimits {
  bytes: number;
  /** A question looks its source up in each file of the organization, which takes about 0.1 µs. */
  filesPerOrganization: number;
}

/**
 * Chooses the files that a process keeps in memory: the newest of each organization. If they take too much memory, an organization with few bytes keeps its files,
 * and the organizations with most lose their oldest.
 * @param bytesOf memory that a file takes
 */
export function chooseUploads(batches: readonly UploadedBatch[], bytesOf: (batch: UploadedBatch) => number, limits: UploadLimits): UploadedBatch[] {
  const taken = new Map<string, { bytes: number; files: number }>();
  const ranked: { batch: UploadedBatch; bytes: number; upTo: number }[] = [];
  for (const batch of batches.toSorted((a, b) => b.sequence - a.sequence)) {
    const own = taken.get(batch.organizationId) ?? { bytes: 0, files: 0 };
    const bytes = bytesOf(batch);
    if (own.files === limits.filesPerOrganization || bytes > limits.bytes) continue;
    own.bytes += bytes;
    own.files += 1;
    taken.set(batch.organizationId, own);
    ranked.push({ batch, bytes, upTo: own.bytes });
  }
  let free = limits.bytes;
  const chosen: UploadedBatch[] = [];
  for (const { batch, bytes } of ranked.toSorted((a, b) => a.upTo - b.upTo)) {
    if (bytes > free) continue;
    free -= bytes;
    chosen.push(batch);
  }
  return chosen;
}
