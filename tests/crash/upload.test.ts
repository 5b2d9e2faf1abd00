import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive, sampleOf } from '@vouch/platform/testing/exhaustive';
import { expectStatus, type BatchRecord, type UploadFile } from '../../bench/harness/vouchClient.ts';
import type { SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { interactionRows } from '../scale/largeFiles.ts';
import { killLoop } from './harness/killLoop.ts';
import { createLedger, type Ledger } from './harness/ledger.ts';
import {
  clientOf, listBlobs, listScratch, makePlace, removePlace, startServe, stopService, waitUntil,
} from './harness/place.ts';
import { killAll, processTree, untilGone, type ProcessMark } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import { killDatabaseFirst } from './harness/victims.ts';
import { uploadSubject, type VouchPlace } from './harness/vouchSubjects.ts';

/** An upload that stays incomplete: one file that takes seconds to read, and one whose rows continue until `stop` aborts. */
function halfUpload(stop: AbortSignal): UploadFile[] {
  return [{ name: 'whole.csv', content: interactionRows(2_000_000) }, { name: 'half.csv', content: endlessRows(stop) }];
}

async function* endlessRows(stop: AbortSignal): AsyncGenerator<string> {
  yield* interactionRows(1_000);
  while (!stop.aborted) {
    yield 'view,u1,i1,1700000000,\n';
    await sleep(5);
  }
}

describe.skipIf(!exhaustive || process.platform !== 'linux')('an upload under kill -9 (needs /proc)', () => {
  let place: VouchPlace;
  let service: Service;
  let kept: BatchRecord[] = [];

  beforeAll(async () => {
    place = await makePlace();
    service = await startServe(place);
    kept = expectStatus(await clientOf(place).upload([{ name: 'kept.csv', content: interactionRows(5) }], ['kept']), 201) as BatchRecord[];
  });
  afterAll(async () => {
    await stopService(service);
    await removePlace(place);
  });

  async function killWhileUploading(victims: (tree: ProcessMark[]) => ProcessMark[]): Promise<void> {
    const stop = new AbortController();
    const uploading = clientOf(place).upload(halfUpload(stop.signal), ['half']);
    uploading.catch(() => undefined);
    await waitUntil('a part of the file is written', async () =>
      (await readdir(join(place.folder, 'scratch'), { recursive: true })).some((name) => name.endsWith('/scanned')));
    const tree = processTree(service.processId);
    expect(tree.some(({ command }) => command.includes('convertFile.child'))).toBe(true);
    killAll(victims(tree));
    await service.ended;
    stop.abort();
    await expect(uploading).rejects.toThrow();
    service = await startServe(place);
    await untilGone(tree);
  }

  for (const [what, victims] of sampleOf([
    ['everything', (tree: ProcessMark[]) => tree],
    ['the server alone', (tree: ProcessMark[]) => tree.slice(0, 1)],
  ] as const, 1)) {
    it(`leaves nothing of itself when ${what} dies in the middle, and restart works at once`, async () => {
      const blobs = await listBlobs(place);
      await killWhileUploading(victims);
      expect(await clientOf(place).batches()).toEqual(kept);
      expect(await listBlobs(place)).toEqual(blobs);
      expect(await listScratch(place)).toEqual([]);
    });
  }

  it('is answered with a sentence and stores nothing when the process that reads it dies', async () => {
    const stop = new AbortController();
    const uploading = clientOf(place).upload(halfUpload(stop.signal), ['half']);
    await waitUntil('the file is being read', async () => processTree(service.processId).some(isReader));
    killAll(processTree(service.processId).filter(isReader));
    await waitUntil('the reader is gone', async () => !processTree(service.processId).some(isReader));
    stop.abort();
    const answer = await uploading;
    expect(answer).toMatchObject({ status: 500, body: { code: 'upload-interrupted' } });
    expect(await clientOf(place).batches()).toEqual(kept);
    await waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0);
  });

  it('is there exactly once and whole where it was acknowledged or repeated, also when PostgreSQL dies before the server', async () => {
    await stopService(service);
    const ledger = createLedger<{ rows: number }>();
    ledger.begin('kept', { rows: 5 });
    ledger.acknowledge('kept');
    const kill = async (victim: Service, random: SeededRandom): Promise<void> => {
      const before = countAcknowledged(ledger);
      await waitUntil('an upload is acknowledged', async () => countAcknowledged(ledger) > before);
      await sleep(random.below(300));
      await killDatabaseFirst(victim, random);
    };
    const report = await killLoop({ ...uploadSubject(place), kill }, ledger, {
      rounds: 2, seed: 3, killAfterMs: { from: 0, to: 0 }, timers: systemInterfaces.timers,
    });
    expect(report).toMatchObject({ kills: 2, lost: [], twice: [], faulty: [], unknown: [] });
    expect(report.acknowledged).toBeGreaterThan(2);
  });
});

function countAcknowledged(ledger: Ledger<unknown>): number {
  return [...ledger.entries()].filter(([, { state }]) => state === 'acknowledged').length;
}

function isReader({ command }: ProcessMark): boolean {
  return command.startsWith(process.execPath) && command.includes('convertFile.child');
}
