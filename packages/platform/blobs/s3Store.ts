import type { S3Client } from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Clock } from '../process/systemInterfaces.ts';
import type { ByteRange } from './blobs.ts';
import { asStoreFault, statusOf } from './storeFault.ts';

/** The bucket of a blob store, and how to reach it. */
export interface S3Options {
  /** URL of an S3-compatible store. Default: Amazon S3. */
  endpoint?: string;
  bucket: string;
  region: string;
  /** Used together with secretAccessKey. Without both, the SDK searches for credentials itself (environment, profile, instance). */
  accessKeyId?: string;
  secretAccessKey?: string;
}

/** Facts about an object; `storedAt` is in ms, with a resolution of 1 s. */
export interface S3Object {
  key: string;
  bytes: number;
  storedAt: number;
}

/** A request for an object. */
export interface ObjectRequest {
  method: 'GET' | 'HEAD';
  /** Requests only the bytes from `from` on, of the version with the ETag `tag`; null for the whole object. */
  rest: { from: number; tag: string } | null;
  signal?: AbortSignal | undefined;
}

/** The store's answer to a request. */
export interface ObjectAnswer {
  status: number;
  /** Error code of the store, e.g. `NoSuchKey`; empty if the status is a success. */
  reason: string;
  headers: Record<string, string>;
  body: Readable;
}

/** Smallest part of a multipart upload: 8 MiB. At most two parts are in memory at once. */
const partBytes = 8 * 2 ** 20;
/** Upper bound for the parts of one upload; S3 allows 10,000. */
const maxParts = 9_000;
/** Largest object in bytes that S3 copies in one request: 5 GiB. */
export const maxCopyBytes = 5 * 2 ** 30;

type Sdk = typeof import('@aws-sdk/client-s3') & typeof import('@aws-sdk/lib-storage');

/** The operations on one bucket that the blob store needs. The SDK (0.3 s, 40 MB) is loaded at the first operation. */
export class S3Store {
  readonly #options: S3Options;
  #opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  #clockDifferenceMs: number | null = null;
  readonly #clock: Clock;

  constructor(options: S3Options, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Difference in ms between the store's clock and the local clock at the store's last answer, accurate to 1 s; positive if the store's clock is
   * ahead. Null before the first answer.
   */
  get clockDifferenceMs(): number | null {
    return this.#clockDifferenceMs;
  }

  /** Name of the store in messages. */
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
   * Uploads a file, in parts if it is large. A store that ignores If-None-Match overwrites an existing object, which changes nothing if the key is a
   * hash of the content.
   * @returns false if the key is taken and the store supports If-None-Match
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

  /**
   * Sets the time of an object to now, by copying the object onto itself. Only for objects of at most `maxCopyBytes` bytes.
   * @returns false if the object does not exist
   */
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

  /** Reads an object, or the bytes of the range that the object has. Null if the object does not exist. */
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

  /**
   * Requests an object for a reader that continues an interrupted transfer. Unlike `read`, this method also returns the answers that deny the request.
   * @throws the error of the SDK if the store gives no answer
   */
  async request(key: string, { method, rest, signal }: ObjectRequest): Promise<ObjectAnswer> {
    const { sdk, client } = await this.#open();
    const options = signal === undefined ? {} : { abortSignal: signal };
    try {
      if (method === 'HEAD') {
        const { $metadata, ContentLength, ETag } = await client.send(new sdk.HeadObjectCommand(this.#at(key)), options);
        return { status: $metadata.httpStatusCode ?? 200, reason: '', headers: headersOf({ 'content-length': ContentLength, etag: ETag }), body: Readable.from([]) };
      }
      const condition = rest === null ? {} : { Range: `bytes=${rest.from}-`, IfMatch: rest.tag };
      const { $metadata, ContentLength, ContentRange, ETag, Body } = await client.send(new sdk.GetObjectCommand({ ...this.#at(key), ...condition }), options);
      const headers = headersOf({ 'content-length': ContentLength, 'content-range': ContentRange, etag: ETag });
      return { status: $metadata.httpStatusCode ?? 200, reason: '', headers, body: Body as Readable };
    } catch (error) {
      const status = statusOf(error);
      if (status === undefined || !(error instanceof Error)) throw error;
      return { status, reason: error.name, headers: {}, body: Readable.from([]) };
    }
  }

  /** Reads a small object, with the ETag that `replace` compares. Null if the object does not exist. */
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
   * Writes a small object if the existing object still has the ETag `tag`, or, if `tag` is null, if no object exists. Otherwise writes nothing. A
   * store that does not support conditional writes always writes.
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

  async write(key: string, Body: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.PutObjectCommand({ ...this.#at(key), Body })).catch(rethrow);
  }

  async remove(key: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DeleteObjectCommand(this.#at(key))).catch(rethrow);
  }

  /** Lists the objects whose keys begin with the prefix, 1,000 per request. */
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
    throw new Error('An S3 store requires the packages @aws-sdk/client-s3 and @aws-sdk/lib-storage, which are not installed. Install vouch again with optional packages (npm without --omit=optional).', { cause: error });
  }
}

async function openClient(options: S3Options, heardDate: (date: string) => void): Promise<{ sdk: Sdk; client: S3Client }> {
  const { endpoint, region, accessKeyId, secretAccessKey } = options;
  // The SDK prints a warning to standard error on Node before 22. This release of the SDK works on Node 20, which Vouch supports.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const sdk = await loadSdk();
  const client = new sdk.S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKeyId === undefined || secretAccessKey === undefined ? {} : { credentials: { accessKeyId, secretAccessKey } }),
    // Stores other than Amazon S3 reject the newer checksums. The names of blobs are hashes of their content, so the checksums are not needed.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
  });
  // The low priority places this handler before the SDK's error handling, so that the date of error responses is read too.
  client.middlewareStack.add((next) => async (given) => {
    const result = await next(given);
    const { headers = {} } = result.response as { headers?: Record<string, string | undefined> };
    if (headers['date'] !== undefined) heardDate(headers['date']);
    return result;
  }, { step: 'deserialize', priority: 'low', name: 'hearDate' });
  return { sdk, client };
}

function headersOf(values: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

function rethrow(error: unknown): never {
  throw asStoreFault(error);
}

/**
 * Returns the HTTP status of an answer about an object. Undefined for a missing bucket, which is a configuration error and must not count as a
 * missing object.
 */
function objectStatus(error: unknown): number | undefined {
  return error instanceof Error && error.name === 'NoSuchBucket' ? undefined : statusOf(error);
}

/** Returns whether the store reports that a range begins after the object's end (status 416). */
export function isBehindEnd(error: unknown): boolean {
  return statusOf(error) === 416;
}
