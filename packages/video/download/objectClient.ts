import { Readable } from 'node:stream';
import { S3Store, type ObjectAnswer, type ObjectRequest } from '@vouch/platform/blobs/s3Store';
import { isUnreachable } from '@vouch/platform/blobs/storeFault';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';
import { OutboundFailed, type OutboundAnswer, type OutboundRequest } from '@vouch/platform/outbound/outbound';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { VideoSettings } from '../config/videoSettings.ts';
import { videoErrors } from '../errors/videoErrors.ts';
import type { MediaClient } from './mediaClient.ts';

/** An object that an `s3://` URL names. */
interface NamedObject {
  bucket: string;
  key: string;
}

const objectUrl = /^s3:\/\//i;
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Longest key of an object, bytes. */
const maxKeyBytes = 1024;

/** Whether a URL names an object in an S3-compatible store. */
export function isObjectUrl(url: string): boolean {
  return objectUrl.test(url);
}

/**
 * Reads objects of the buckets that the operator lists in `video_s3_sources`, through the interface of the HTTP client: so a download has the same limits
 * and continues in the same way. Only the bucket and the key come from the user; the store and its credentials are settings.
 *
 * @example
 * const client = new ObjectClient(settings, systemInterfaces.clock);
 * client.check('s3://films/2026/alpine%20trip.mp4');
 */
export class ObjectClient implements MediaClient {
  readonly #settings: VideoSettings;
  readonly #clock: Clock;
  /** Stores by bucket: a playlist can name thousands of objects, and each store has connections of its own. */
  readonly #stores = new Map<string, S3Store>();

  constructor(settings: VideoSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @throws Problem `address-refused` */
  check(url: string): void {
    this.#locate(url);
  }

  /** @throws Problem `address-refused`, `media-not-found`, `media-forbidden` or `media-refused`; OutboundFailed, also from the body */
  async request({ url, method, headers = {}, signal }: OutboundRequest): Promise<OutboundAnswer> {
    const { bucket, key } = this.#locate(url);
    const store = this.#storeOf(bucket);
    const from = Number(/^bytes=(\d+)-$/.exec(headers['range'] ?? '')?.[1] ?? 0);
    const tag = headers['if-range'];
    const ask = (rest: ObjectRequest['rest']): Promise<ObjectAnswer> => store.request(key, { method: method === 'HEAD' ? 'HEAD' : 'GET', rest, signal });
    try {
      const answer = await ask(from > 0 && tag !== undefined ? { from, tag } : null);
      // Status 412 means that the object has changed. With If-Range, an HTTP server would answer with the whole file.
      const { status, reason, headers: told, body } = answer.status === 412 ? await ask(null) : answer;
      const problem = method === 'HEAD' ? null : refusalOf(bucket, status, reason);
      if (problem !== null) throw problem;
      return { status, headers: told, url, body: Readable.from(received(body, bucket, signal), { objectMode: false }) };
    } catch (error) {
      signal?.throwIfAborted();
      throw asFailure(error, bucket);
    }
  }

  #storeOf(bucket: string): S3Store {
    const { video_s3_endpoint: endpoint, video_s3_region: region, video_s3_access_key_id: accessKeyId, video_s3_secret_access_key: secretAccessKey } = this.#settings;
    const store = this.#stores.get(bucket) ?? new S3Store({
      bucket, region, ...(endpoint === undefined ? {} : { endpoint }), ...(accessKeyId === undefined || secretAccessKey === undefined ? {} : { accessKeyId, secretAccessKey }),
    }, this.#clock);
    this.#stores.set(bucket, store);
    return store;
  }

  #locate(url: string): NamedObject {
    const named = parseObjectUrl(url);
    const sources = this.#settings.video_s3_sources ?? [];
    if (sources.length === 0) throw refused('This server reads no s3:// URLs, because VOUCH_VIDEO_S3_SOURCES lists no bucket. Use a signed https URL of the object, or ask the operator to list the bucket.');
    if (sources.some((source) => contains(source, named))) return named;
    throw refused(`The bucket ${named.bucket}, or this part of the bucket, is not in VOUCH_VIDEO_S3_SOURCES. Use a signed https URL of the object, or ask the operator to list the bucket.`);
  }
}

function parseObjectUrl(url: string): NamedObject {
  if (!URL.canParse(url)) throw refused('The value is not a complete URL such as s3://bucket/film.mp4.');
  const { protocol, username, password, host, pathname, search, hash } = new URL(url);
  if (protocol !== 's3:') throw refused(`The URL has the scheme ${protocol.slice(0, 20)}; here, only s3: is allowed.`);
  if (username !== '' || password !== '') throw refused('The s3:// URL contains a user name or password; credentials of the store are settings of the server.');
  if (!bucketName.test(host)) throw refused('The URL names no bucket. Use s3:// with the name of a bucket and the key of an object, such as s3://bucket/film.mp4.');
  if (search !== '' || hash !== '') throw refused('The s3:// URL has a query or a fragment. Write ? and # in the key of an object as %3F and %23.');
  const key = decode(pathname.slice(1));
  // A proxy before the store could shorten such a key to an object outside of the listed part of the bucket.
  if (key.split(/[/\\]/).some((part) => part === '.' || part === '..')) throw refused('The key of the object contains "." or ".." as a part of its path.');
  if (key === '' || Buffer.byteLength(key) > maxKeyBytes || [...key].some((letter) => letter < ' ' || letter === '\x7f')) {
    throw refused(`The URL names no object. A key has 1 to ${maxKeyBytes} bytes without control characters.`);
  }
  return { bucket: host, key };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw refused('The key of the object is not valid UTF-8 in percent-encoding.');
  }
}

/** @param source a bucket, or a bucket and the beginning of keys, e.g. `films/public` */
function contains(source: string, { bucket, key }: NamedObject): boolean {
  const slash = source.indexOf('/');
  if (slash < 0) return source === bucket;
  const prefix = source.slice(slash + 1).replace(/\/*$/, '/');
  return source.slice(0, slash) === bucket && (prefix === '/' || key.startsWith(prefix));
}

function refused(detail: string): Problem {
  return platformErrors.problem('address-refused', detail);
}

/** Returns the problem for an answer that no repetition of the request changes; null for other answers. */
function refusalOf(bucket: string, status: number, reason: string): Problem | null {
  if (status < 300 || status === 416 || status === 429 || status >= 500) return null;
  if (status === 404) return videoErrors.problem('media-not-found', `The object store has no such object in the bucket ${bucket} (${reason}). Check the bucket and the key in media_url.`);
  if (status === 401 || status === 403) {
    return videoErrors.problem('media-forbidden', `The object store does not allow Vouch to read this object in the bucket ${bucket} (${reason}). The operator can check the permissions of VOUCH_VIDEO_S3_ACCESS_KEY_ID.`);
  }
  return videoErrors.problem('media-refused', `The object store answered ${status} (${reason}) for the bucket ${bucket}. The operator can check VOUCH_VIDEO_S3_ENDPOINT and VOUCH_VIDEO_S3_REGION.`);
}

function asFailure(error: unknown, bucket: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'CredentialsProviderError') {
    return videoErrors.problem('media-forbidden', `Vouch has no credentials for the bucket ${bucket}. The operator can set VOUCH_VIDEO_S3_ACCESS_KEY_ID and VOUCH_VIDEO_S3_SECRET_ACCESS_KEY.`, { cause: error });
  }
  if (!isUnreachable(error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return new OutboundFailed('unreachable', `The store of the bucket ${bucket}`, `cannot be reached (${code})`, error);
}

async function* received(body: Readable, bucket: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal?.throwIfAborted();
    throw new OutboundFailed('incomplete', `The store of the bucket ${bucket}`, 'closed the connection before the end', error);
  } finally {
    body.destroy();
  }
}
