import type { S3Client } from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Clock } from '../process/doors.ts';
import type { ByteRange } from './blobs.ts';
import { asStoreFault, statusOf } from './storeFault.ts';

export interface S3Options {
  /** Address of an S3-compatible store; Amazon's own where it is missing. */
  endpoint?: string;
  bucket: string;
  region: string;
  /** With secretAccessKey; without both the SDK's own ways to find credentials are used. */
  accessKeyId?: string;
  secretAccessKey?: string;
}

/** What the store knows of an object; its time has whole seconds. */
export interface S3Object {
  key: string;
  bytes: number;
  storedAt: number;
}

/** Smallest part of an upload; at most two are in memory. */
const partBytes = 8 * 2 ** 20;
/** S3 takes 10,000 parts an object. */
const maxParts = 9_000;
/** Larger objects cannot be copied in one request. */
export const maxCopyBytes = 5 * 2 ** 30;

type Sdk = typeof import('@aws-sdk/client-s3') & typeof import('@aws-sdk/lib-storage');

/** The few operations on one bucket that blobs need. The SDK (0.3 s, 40 MB) is loaded at the first of them. */
export class S3Store {
  readonly #options: S3Options;
  #opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  #clockDifferenceMs: number | null = null;
  readonly #clock: Clock;

  constructor(options: S3Options, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** How far the store's clock was ahead of ours at its last answer, to the second; null before the first. */
  get clockDifferenceMs(): number | null {
    return this.#clockDifferenceMs;
  }

  /** What sentences call the store. */
  get place(): string {
    return `the bucket ${this.#options.bucket}${this.#options.endpoint === undefined ? '' : ` at ${this.#options.endpoint}`}`;
  }

  async head(key: string): Promise<S3Object | null> {
    const { sdk, client } = await this.#open();
    try {
      const found = await client.send(new sdk.HeadObjectCommand(this.#at(key)));
      return { key, bytes: found.ContentLength ?? 0, storedAt: found.LastModified?.getTime() ?? 0 };
    } catch (error) {
      if (objectStatus(error) === 404) return null;
      throw asStoreFault(error);
    }
  }

  /**
   * Uploads a file, in parts where it is large. False where the key is taken, if the store honours If-None-Match; one that
   * does not overwrites, which changes nothing where keys stand for their content.
   */
  async create(key: string, path: string, bytes: number): Promise<boolean> {
    try {
      await this.#upload(key, path, bytes, '*');
      return true;
    } catch (error) {
      const status = objectStatus(error);
      if (status === 412 || status === 409) return false;
      if (status !== 501) throw asStoreFault(error);
      await this.overwrite(key, path, bytes);
      return true;
    }
  }

  async overwrite(key: string, path: string, bytes: number): Promise<void> {
    await this.#upload(key, path, bytes, undefined).catch(rethrow);
  }

  async #upload(key: string, path: string, bytes: number, IfNoneMatch: string | undefined): Promise<void> {
    const { sdk, client } = await this.#open();
    const Body = createReadStream(path);
    try {
      await new sdk.Upload({
        client,
        params: { ...this.#at(key), Body, IfNoneMatch },
        partSize: Math.max(partBytes, Math.ceil(bytes / maxParts)),
        queueSize: 2,
      }).done();
    } finally {
      Body.destroy();
    }
  }

  /** Gives an object the current time, by a copy onto itself; false where it is gone. Only up to maxCopyBytes. */
  async touch(key: string): Promise<boolean> {
    const { sdk, client } = await this.#open();
    try {
      await client.send(new sdk.CopyObjectCommand({
        ...this.#at(key), CopySource: `${this.#options.bucket}/${key}`, MetadataDirective: 'REPLACE',
      }));
      return true;
    } catch (error) {
      if (objectStatus(error) === 404) return false;
      throw asStoreFault(error);
    }
  }

  /** The object's bytes or those of the range that it has; null where there is none. */
  async read(key: string, range?: ByteRange): Promise<Readable | null> {
    const { sdk, client } = await this.#open();
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end - 1}`;
    try {
      const found = await client.send(new sdk.GetObjectCommand({ ...this.#at(key), Range }));
      return found.Body as Readable;
    } catch (error) {
      if (objectStatus(error) === 404) return null;
      throw isBehindEnd(error) ? error : asStoreFault(error);
    }
  }

  /** A small object with the tag by which `replace` knows it; null where there is none. */
  async readText(key: string): Promise<{ text: string; tag: string | undefined } | null> {
    const { sdk, client } = await this.#open();
    try {
      const found = await client.send(new sdk.GetObjectCommand(this.#at(key)));
      return { text: await found.Body?.transformToString() ?? '', tag: found.ETag };
    } catch (error) {
      if (objectStatus(error) === 404) return null;
      throw asStoreFault(error);
    }
  }

  /**
   * Writes a small object where it is still the one with the tag, or, for null, where there is none. Otherwise nothing
   * happens, if the store honours such conditions; one that does not writes in any case.
   */
  async replace(key: string, Body: string, tag: string | undefined | null): Promise<void> {
    const { sdk, client } = await this.#open();
    const condition = tag === null ? { IfNoneMatch: '*' } : { IfMatch: tag };
    try {
      await client.send(new sdk.PutObjectCommand({ ...this.#at(key), Body, ...condition }));
    } catch (error) {
      const status = objectStatus(error);
      if (status === 501) await this.write(key, Body);
      else if (status !== 412 && status !== 409 && status !== 404) throw asStoreFault(error);
    }
  }

  /** Writes a small object. */
  async write(key: string, Body: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.PutObjectCommand({ ...this.#at(key), Body })).catch(rethrow);
  }

  async remove(key: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DeleteObjectCommand(this.#at(key))).catch(rethrow);
  }

  /** Objects whose keys begin with the prefix, 1,000 a request. */
  async* list(prefix: string): AsyncGenerator<S3Object> {
    const { sdk, client } = await this.#open();
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(new sdk.ListObjectsV2Command({
        Bucket: this.#options.bucket, Prefix: prefix, ContinuationToken,
      })).catch(rethrow);
      for (const object of page.Contents ?? []) {
        yield { key: object.Key ?? '', bytes: object.Size ?? 0, storedAt: object.LastModified?.getTime() ?? 0 };
      }
      ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  #at(Key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#options.bucket, Key };
  }

  #open(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.#opened ??= openClient(this.#options, (date) => {
      const there = Date.parse(date);
      if (!Number.isNaN(there)) this.#clockDifferenceMs = there - this.#clock.now();
    });
    return this.#opened;
  }
}

async function loadSdk(): Promise<Sdk> {
  try {
    return { ...(await import('@aws-sdk/client-s3')), ...(await import('@aws-sdk/lib-storage')) };
  } catch (error) {
    throw new Error('A store of S3 needs the packages @aws-sdk/client-s3 and @aws-sdk/lib-storage, which are not installed. Install vouch again with all optional packages (npm without --omit=optional).', { cause: error });
  }
}

async function openClient(options: S3Options, heardDate: (date: string) => void): Promise<{ sdk: Sdk; client: S3Client }> {
  const { endpoint, region, accessKeyId, secretAccessKey } = options;
  // The SDK warns of each Node before 22 on standard error; this release of it works on 20, which we support.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const sdk = await loadSdk();
  const client = new sdk.S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKeyId === undefined || secretAccessKey === undefined ? {} : { credentials: { accessKeyId, secretAccessKey } }),
    // Other stores than Amazon's reject the newer checksums; names are hashes of the content anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
  });
  // At the lowest priority of this step, so that refusals are seen too, which the SDK throws further up.
  client.middlewareStack.add((next) => async (given) => {
    const result = await next(given);
    const { headers = {} } = result.response as { headers?: Record<string, string | undefined> };
    if (headers['date'] !== undefined) heardDate(headers['date']);
    return result;
  }, { step: 'deserialize', priority: 'low', name: 'hearDate' });
  return { sdk, client };
}

function rethrow(error: unknown): never {
  throw asStoreFault(error);
}

/** The status of an answer about an object: a missing bucket is a fault of the configuration, not a missing object. */
function objectStatus(error: unknown): number | undefined {
  return error instanceof Error && error.name === 'NoSuchBucket' ? undefined : statusOf(error);
}

/** Whether the store says that a range begins behind the object's end. */
export function isBehindEnd(error: unknown): boolean {
  return statusOf(error) === 416;
}
