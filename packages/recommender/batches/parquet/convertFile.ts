import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import { parseConversionResult, type Conversion, type ConversionResult } from './convertFile.messages.ts';

/**
 * Memory limit of the child, twice the memory for 5 million rows; exceeding the limit is a fault of the program, not of the
 * file.
 */
const memoryBytes = 600_000_000;

export interface ConversionInput extends Conversion {
  /** The bytes as uploaded. */
  content: Readable;
  signal: AbortSignal;
}

/**
 * Checks an uploaded file and writes it as Parquet, in a separate child process, so that queries are not delayed and a
 * malicious file can harm only the child.
 * @throws ChildFailed if the child ends without a result; errors of `content`
 */
export async function convertFile(input: ConversionInput, system: Pick<SystemInterfaces, 'timers'>): Promise<ConversionResult> {
  const { content, signal, ...conversion } = input;
  // The stream can fail before it is read below; reading then throws the error.
  content.on('error', () => {});
  let result: ConversionResult | null = null;
  const child = startNodeChild({
    name: 'the reader of the uploaded file',
    file: new URL('./convertFile.child.ts', import.meta.url),
    stdin: 'pipe',
    limits: { memoryBytes, diskBytes: 4 * conversion.maxBytes },
    signal,
    parse: parseConversionResult,
    received: (message) => { result = message; },
  }, system.timers);
  try {
    // A failed send means that the child has ended; `done` contains the reason.
    await child.send(conversion).catch(() => {});
    await feed(content, child);
    await child.done;
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    await child.done.catch(() => {});
    throw error;
  }
  if (result === null) throw new Error('the reader of the uploaded file ended without a result');
  return result;
}

/** Writes the content to the child as fast as the child reads, until the child closes its input. */
async function feed(content: AsyncIterable<Uint8Array>, child: NodeChild): Promise<void> {
  let over = false;
  const ended = child.done.then(() => { over = true; }, () => { over = true; });
  for await (const chunk of content) {
    if (over || child.stdin === null || child.stdin.destroyed) break;
    if (!child.stdin.write(chunk)) await Promise.race([drained(child.stdin), ended]);
  }
  child.stdin?.end();
}

async function drained(stdin: Writable): Promise<void> {
  const waiting = new AbortController();
  const settled = (): void => waiting.abort();
  stdin.once('close', settled);
  await once(stdin, 'drain', { signal: waiting.signal }).catch(() => {});
  stdin.off('close', settled);
}
