import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../process/systemInterfaces.ts';

/**
 * Creates and verifies signed paths, which give access without a key until they expire. The signature is HMAC-SHA256 over expiry and path, in
 * base64url (RFC 2104, RFC 4648 §5).
 */
export class LinkSigner {
  readonly #secret: Buffer;
  readonly #clock: Clock;

  /** @param secret at least 32 random bytes, the same in all processes */
  constructor(secret: Buffer, clock: Clock) {
    if (secret.length < 32) throw new Error('the secret for signed links needs at least 32 bytes');
    this.#secret = secret;
    this.#clock = clock;
  }

  /**
   * Returns the path with its expiry and signature as a query.
   * @param path absolute URL path, percent-encoded, without a query
   * @param expiresAt ms since the Unix epoch, rounded up to seconds
   * @throws Error if the path is not absolute or has a query or fragment
   */
  sign(path: string, expiresAt: number): string {
    if (!path.startsWith('/') || /[?#]/.test(path)) throw new Error(`${path} is not a path without a query`);
    const expires = Math.ceil(expiresAt / 1000);
    return `${path}?expires=${expires}&signature=${this.#signature(path, expires).toString('base64url')}`;
  }

  /** Returns whether a path has a valid signature and has not expired. The reason of a failure is not returned. */
  verify(path: string, query: { expires?: unknown; signature?: unknown }): boolean {
    const { expires, signature } = query;
    if (typeof signature !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(signature)) return false;
    if (!/^\d{1,12}$/.test(String(expires))) return false;
    const seconds = Number(expires);
    const right = timingSafeEqual(Buffer.from(signature, 'base64url'), this.#signature(path, seconds));
    return right && seconds * 1000 > this.#clock.now();
  }

  #signature(path: string, expires: number): Buffer {
    return createHmac('sha256', this.#secret).update(`${expires}\n${path}`).digest();
  }
}
