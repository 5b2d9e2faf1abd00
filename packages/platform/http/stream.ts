import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Size up to which small pieces are joined before they are written: one system call each. */
const batchCharacters = 64 * 1024;

/** Text is joined before it is written; bytes are written as they come. */
type Piece = string | Buffer;

/**
 * Streams text or bytes with back-pressure: the producer is asked for more only as fast as the client reads.
 * A producer that fails before its first piece gives an ordinary error answer. One that fails later has its connection reset,
 * so that no client, not even one of HTTP/1.0, takes the answer for whole. A client that leaves ends the producer and its signal.
 * @param produce the pieces; the first one is written at once, later ones in batches of 64 K characters
 */
export function streamText(
  reply: FastifyReply, contentType: string, produce: (signal: AbortSignal) => AsyncIterable<Piece> | Iterable<Piece>,
): FastifyReply {
  const gone = new AbortController();
  const source = Readable.from(batch(produce(gone.signal)), { objectMode: false, highWaterMark: batchCharacters });
  source.once('error', () => {
    if (reply.raw.headersSent) reply.raw.socket?.resetAndDestroy();
  });
  source.once('close', () => gone.abort());
  // A generator that waits for something is not ended by its stream: the signal is.
  reply.raw.once('close', () => gone.abort());
  return reply.type(contentType).send(source);
}

/**
 * The pieces of one JSON object whose last field is a long list.
 * @param head the fields before the list
 * @param name the field of the list
 */
export async function* jsonWithList(
  head: Record<string, unknown>, name: string, items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  const fields = JSON.stringify(head).slice(1, -1);
  yield `{${fields}${fields === '' ? '' : ','}${JSON.stringify(name)}:`;
  yield* jsonList(items);
  yield '}';
}

/** The pieces of one long JSON list. */
export async function* jsonList(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let separator = '[';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/**
 * A fast client takes whatever is written before the event loop turns, so without a turn after each piece one long answer
 * would keep all others waiting until its end.
 */
async function* batch(pieces: AsyncIterable<Piece> | Iterable<Piece>): AsyncGenerator<Buffer> {
  let first = true;
  let waiting = '';
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      if (waiting !== '') yield Buffer.from(waiting);
      waiting = '';
      first = false;
      yield piece;
      await new Promise(setImmediate);
      continue;
    }
    waiting += piece;
    if (!first && waiting.length < batchCharacters) continue;
    if (waiting === '') continue;
    first = false;
    yield Buffer.from(waiting);
    waiting = '';
    await new Promise(setImmediate);
  }
  if (waiting !== '') yield Buffer.from(waiting);
}
