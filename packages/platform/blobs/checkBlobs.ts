import { Readable } from 'node:stream';
import { Problem } from '../errors/problem.ts';
import type { Random } from '../process/systemInterfaces.ts';
import type { Blobs } from './blobs.ts';

/** Writes, reads and removes a small random blob. @throws Error whose message names the failed step and its reason */
export async function checkBlobs(blobs: Blobs, random: Random): Promise<void> {
  const { place } = blobs;
  const content = random.bytes(64);
  const name = await step(`${place} cannot be written`, async () => {
    return (await blobs.putStream(Readable.from([content]))).name;
  });
  await step(`${place} cannot be read`, async () => {
    const parts: Buffer[] = [];
    for await (const part of await blobs.read(name)) parts.push(Buffer.from(part as Uint8Array));
    if (!Buffer.concat(parts).equals(content)) throw new Error('the content that was read differs from the content that was written');
  });
  await step(`blobs in ${place} cannot be removed`, () => blobs.remove(name));
}

async function step<Result>(sentence: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${sentence}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The store's own error message. The message of a Problem is written for clients and leaves out details that the operator needs. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Problem && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}
