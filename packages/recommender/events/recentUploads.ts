import { shorten } from '@vouch/platform/errors/shorten';
import type { Platform } from '@vouch/platform/product/product';
import { InteractionReader } from '../uploads/interactionReader.ts';
import { chooseUploads, type UploadLimits } from './chooseUploads.ts';
import type { RecentEvents } from './recentEvents.ts';
import { largestBytes, UploadedFile, type UploadedBatch } from './uploadedFile.ts';
import { listUploads } from './uploadList.ts';

const usualLimits: UploadLimits = { bytes: 256 * 2 ** 20, filesPerOrganization: 500 };
/** Maximum number of looks, about one per second, between two attempts to read a file. */
const maxPause = 64;

/** A file that only the next training takes into account. */
export interface WaitingUpload {
  batch: UploadedBatch;
  /** Why, as the rest of a sentence. */
  cause: string;
}

/** Parts of the platform that read uploaded files. */
export type UploadPlatform = Pick<Platform, 'blobs' | 'database' | 'log' | 'scratch' | 'timers'>;

/** The uploaded interactions since the trainings, of all organizations, in the memory of one process. A file counts when it is read completely. */
export class RecentUploads {
  /** Files that only the next training takes into account, because they take too much memory or cannot be read. */
  waiting: readonly WaitingUpload[] = [];
  private readonly platform: UploadPlatform;
  private readonly recent: RecentEvents;
  private readonly limits: UploadLimits;
  private readonly files = new Map<string, UploadedFile>();
  /** Files that could not be read, with the look that tries again. */
  private readonly failed = new Map<string, { pause: number; again: number; reason: string }>();
  private looks = 0;
  /** Waiting batches of which the log has a line. */
  private logged = new Set<string>();

  /** @param recent receives the files */
  constructor(platform: UploadPlatform, recent: RecentEvents, limits = usualLimits) {
    this.platform = platform;
    this.recent = recent;
    this.limits = limits;
  }

  /** Removes files that were deleted or trained on, and reads new ones, small ones first, until no file is missing. */
  async look(stopping: AbortSignal): Promise<void> {
    const { scratch, timers } = this.platform;
    const reader = new InteractionReader(timers, 0);
    this.looks += 1;
    try {
      for (;;) {
        const missing = await this.compare();
        if (missing === undefined || stopping.aborted) return;
        const file = new UploadedFile(missing);
        try {
          const path = await this.platform.blobs.localPath(missing.blob);
          await reader.read({ path, temporaryFolder: scratch, types: null, from: null, bySource: true }, (page) => file.add(page), stopping);
          file.finish();
          this.files.set(missing.batchId, file);
        } catch (error) {
          if (!stopping.aborted) this.fail(missing, error);
        }
      }
    } finally {
      await reader.end();
    }
  }

  /** Compares the files in memory with the database. @returns the smallest file that must be read */
  private async compare(): Promise<UploadedBatch | undefined> {
    const listed = await listUploads(this.platform.database);
    const readable = listed.filter(({ batchId }) => (this.failed.get(batchId)?.again ?? 0) <= this.looks);
    // The memory that a file takes is known after it was read.
    const chosen = chooseUploads(readable, (batch) => this.files.get(batch.batchId)?.bytes ?? largestBytes(batch), this.limits);
    this.keepOnly(chosen);
    this.report(listed, chosen);
    return chosen.filter(({ batchId }) => !this.files.has(batchId)).toSorted((a, b) => a.rows - b.rows)[0];
  }

  private keepOnly(chosen: readonly UploadedBatch[]): void {
    const kept = new Set(chosen.map(({ batchId }) => batchId));
    for (const batchId of this.files.keys()) if (!kept.has(batchId)) this.files.delete(batchId);
    const byOrganization = new Map<string, UploadedFile[]>();
    for (const file of [...this.files.values()].sort((a, b) => a.batch.sequence - b.batch.sequence)) {
      const own = byOrganization.get(file.batch.organizationId) ?? [];
      own.push(file);
      byOrganization.set(file.batch.organizationId, own);
    }
    this.recent.setUploads(byOrganization);
  }

  private report(listed: readonly UploadedBatch[], chosen: readonly UploadedBatch[]): void {
    const isListed = new Set(listed.map(({ batchId }) => batchId));
    for (const batchId of this.failed.keys()) if (!isListed.has(batchId)) this.failed.delete(batchId);
    const isChosen = new Set(chosen.map(({ batchId }) => batchId));
    const waiting = listed.filter(({ batchId }) => !isChosen.has(batchId));
    this.waiting = waiting.map((batch) => ({ batch, cause: this.causeOf(batch, listed) }));
    for (const { batchId, organizationId, rows } of waiting) {
      if (this.logged.has(batchId)) continue;
      this.platform.log.warn({ batch_id: batchId, organization_id: organizationId, rows }, 'an uploaded file does not count in lists before the next training: it takes too much memory, or cannot be read');
    }
    this.logged = new Set(waiting.map(({ batchId }) => batchId));
  }

  private causeOf({ batchId, organizationId, sequence }: UploadedBatch, listed: readonly UploadedBatch[]): string {
    const fault = this.failed.get(batchId);
    if (fault !== undefined) return `cannot be read (${fault.reason})`;
    const newer = listed.filter((other) => other.organizationId === organizationId && other.sequence > sequence).length;
    const { bytes, filesPerOrganization } = this.limits;
    return newer >= filesPerOrganization ? `is older than the newest ${filesPerOrganization} files of the organization` : `has no room in the ${Math.round(bytes / 2 ** 20)} MiB for uploaded interactions`;
  }

  private fail({ batchId }: UploadedBatch, error: unknown): void {
    const pause = Math.min(2 * (this.failed.get(batchId)?.pause ?? 1), maxPause);
    this.failed.set(batchId, { pause, again: this.looks + pause, reason: shorten(error instanceof Error ? error.message : String(error), 200) });
    this.platform.log.warn({ err: error, batch_id: batchId }, 'the interactions of an uploaded file cannot be read');
  }
}
