import { describe, expect, it } from 'vitest';
import type { FileInteraction } from '../uploads/readInteractions.messages.ts';
import { chooseUploads } from './chooseUploads.ts';
import { largestBytes, UploadedFile, type UploadedBatch } from './uploadedFile.ts';

const batchOf = (rest: Partial<UploadedBatch>): UploadedBatch => ({
  batchId: String(rest.sequence ?? 1), organizationId: 'o', sequence: 1, blob: 'blob', tags: [], rows: 1, csvBytes: 0, uploadedAt: 0, ...rest,
});

describe('an uploaded file in memory', () => {
  it('has the interactions of each source with their values, the newest last, over any number of pages and shards', () => {
    const interactions = Array.from({ length: 20_000 }, (_, source) => [
      [`user ${source}`, `item ${source % 7}`, source % 2 === 0 ? 'view' : null, 2_000 + source, 1.5, false],
      [`user ${source}`, `item ${source % 11}`, 'purchase', 1_000, null, true],
      [`user ${source}`, 'item x', null, null, null, false],
    ] satisfies FileInteraction[]).flat();
    const file = new UploadedFile(batchOf({ sequence: 9, tags: ['shop'], rows: interactions.length }));
    for (let at = 0; at < interactions.length; at += 1_000) file.add(interactions.slice(at, at + 1_000));
    file.finish();
    for (const source of [0, 1, 333, 19_999]) {
      const common = { sequence: 9, tags: ['shop'], receivedAt: 0, sourceId: `user ${source}` };
      const newest = { ...common, targetId: `item ${source % 7}`, type: source % 2 === 0 ? 'view' : null, time: 2_000 + source, weight: 1.5, rated: false };
      expect(file.newestOf(`user ${source}`, 500)).toEqual([
        { ...common, targetId: 'item x', type: null, time: Number.NEGATIVE_INFINITY, weight: null, rated: false },
        { ...common, targetId: `item ${source % 11}`, type: 'purchase', time: 1_000, weight: null, rated: true }, newest,
      ]);
      expect(file.newestOf(`user ${source}`, 1)).toEqual([newest]);
    }
    expect([file.has('user 5'), file.has('item 5'), file.newestOf('item 5', 5)]).toEqual([true, false, []]);
  });

  it('takes at most the memory that was expected before it was read', () => {
    const rows = 1_000;
    const lengths = [1, 36, 1_024];
    for (const length of lengths) {
      const id = (kind: string, at: number): string => `${kind}${at}`.padEnd(length, 'x');
      const batch = batchOf({ rows, csvBytes: rows * 2 * length });
      const file = new UploadedFile(batch);
      file.add(Array.from({ length: rows }, (_, at) => [id('u', at), id('i', at), 'view', at, null, false]));
      file.finish();
      expect(file.bytes).toBeGreaterThan(rows * 2 * length);
      expect(file.bytes).toBeLessThanOrEqual(largestBytes(batchOf({ rows, csvBytes: rows * 2 * Math.max(length, 5) })));
    }
  });
});

describe('the choice of files', () => {
  const choose = (batches: readonly UploadedBatch[], bytes: number, filesPerOrganization = 10): number[] =>
    chooseUploads(batches, (batch) => batch.rows, { bytes, filesPerOrganization }).map(({ sequence }) => sequence).sort((a, b) => a - b);

  it('keeps the newest that fit; a file that never fits takes no place', () => {
    const batches = [30, 30, 30, 500, 30].map((rows, at) => batchOf({ sequence: at + 1, rows }));
    expect(choose(batches, 1_000)).toEqual([1, 2, 3, 4, 5]);
    expect(choose(batches, 100)).toEqual([2, 3, 5]);
    expect(choose(batches, 100, 2)).toEqual([3, 5]);
    expect(choose(batches, 20)).toEqual([]);
  });

  it('takes files from the organization with most bytes, not from the others', () => {
    const large = Array.from({ length: 20 }, (_, at) => batchOf({ organizationId: 'large', sequence: 10 + at, rows: 50 }));
    const small = [1, 2].map((sequence) => batchOf({ organizationId: 'small', sequence, rows: 40 }));
    expect(choose([...large, ...small], 230)).toEqual([1, 2, 27, 28, 29]);
  });
});
