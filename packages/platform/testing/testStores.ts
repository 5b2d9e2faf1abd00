import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { createFolderBlobs } from '../blobs/folderBlobs.ts';
import { createS3Blobs } from '../blobs/s3Blobs.ts';
import type { S3Options } from '../blobs/s3Store.ts';

/** An empty store for one test. */
export interface TestStore {
  /** Opens a further instance for the store, as another process would have. */
  open(): Blobs;
  /** Resolution in ms of the times at which blobs were put. */
  resolutionMs: number;
  close(): Promise<void>;
}

/** URL of the S3-compatible server of the tests. tests/scale/startRgw.sh or scripts/testS3.sh starts one. */
export const testS3Endpoint = process.env['VOUCH_TEST_S3_ENDPOINT'];

/** Returns options with a new bucket name at each call. */
export function testS3Options(): S3Options {
  return {
    endpoint: testS3Endpoint ?? '',
    bucket: `vouch-test-${randomUUID()}`,
    region: process.env['VOUCH_TEST_S3_REGION'] ?? 'us-east-1',
    accessKeyId: process.env['VOUCH_TEST_S3_ACCESS_KEY_ID'] ?? 'S3RVER',
    secretAccessKey: process.env['VOUCH_TEST_S3_SECRET_ACCESS_KEY'] ?? 'S3RVER',
  };
}

export async function makeBucket(options: S3Options): Promise<void> {
  const { endpoint, region, accessKeyId = '', secretAccessKey = '' } = options;
  const client = new S3Client({ ...(endpoint === undefined ? {} : { endpoint }), region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  await client.send(new CreateBucketCommand({ Bucket: options.bucket }));
  client.destroy();
}

/** The stores on which store tests run: a folder, and S3 if VOUCH_TEST_S3_ENDPOINT names a server. */
export const testStores: [name: string, open: () => Promise<TestStore>][] = [
  ['a folder', openFolder],
  ...(testS3Endpoint === undefined ? [] : [['S3', openBucket] satisfies [string, () => Promise<TestStore>]]),
];

async function openFolder(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-store-'));
  return {
    open: () => createFolderBlobs(join(folder, 'blobs'), systemInterfaces),
    resolutionMs: 1,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openBucket(): Promise<TestStore> {
  const options = testS3Options();
  await makeBucket(options);
  const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
  return {
    open: () => createS3Blobs(options, { folder: join(folder, randomUUID()), maxBytes: 1_000_000 }, systemInterfaces),
    resolutionMs: 1_000,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
