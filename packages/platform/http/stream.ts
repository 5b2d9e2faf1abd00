import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { nextTurn } from './request.ts';

/** Small pieces of text are joined up to this size, so that each write is one system call. */
const batchCharacters = 64 * 1024;

/** Text pieces are joined before they are written; bytes are written as they arrive. */
type Piece = string | Buffer;

/**
 * Streams text or bytes with back-pressure: the producer runs only as fast as the client reads. If the producer fails before its first piece, the
 * client gets an ordinary error answer. If the producer fails later, the connection is reset, so that no client, not even an HTTP/1.0 client, takes
 * the answer for complete. If the client disconnects, the producer is ended and its signal is aborted.
 * @param produce returns the pieces; the first piece is written at once, later ones in batches of 64 K characters. While it makes a piece, its
 *   second argument returns how many bytes of earlier pieces the system does not have yet, at least. The producer may overwrite the bytes before
 * @example
 * return streamText(reply, 'application/json; charset=utf-8', (signal) => jsonList(readRows(signal)));
 */
export function streamText(reply: FastifyReply, contentType: string, produce: (signal: AbortSignal, pendingBytes: () => number) => AsyncIterable<Piece> | Iterable<Piece>): FastifyReply {
  const gone = new AbortController();
  const pendingBytes = (): number => source.readableLength + reply.raw.writableLength;
  const source: Readable = Readable.from(batch(produce(gone.signal, pendingBytes), () => nextTurn(reply.request)), { objectMode: false, highWaterMark: batchCharacters });
  source.once('error', () => {
    if (reply.raw.headersSent) reply.raw.socket?.resetAndDestroy();
  });
  source.once('close', () => gone.abort());
  // Destroying the stream does not end a generator that waits for something; aborting the signal does.
  reply.raw.once('close', () => gone.abort());
  return reply.type(contentType).send(source);
}

/**
 * Yields the pieces of one JSON object whose last field is a long list.
 * @param head the fields before the list
 * @param name the name of the list's field
 * @param items the members of the list
 */
export async function* jsonWithList(
  head: Record<string, unknown>, name: string, items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<string> {
  const fields = JSON.stringify(head).slice(1, -1);
  yield `{${fields}${fields === '' ? '' : ','}${JSON.stringify(name)}:`;
  yield* jsonList(items);
  yield '}';
}

/** Yields the pieces of one long JSON list. */
export async function* jsonList(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let separator = '[';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/**
 * Joins text pieces to batches. Waits for the sender's next turn after each batch: a fast client accepts all data that is written before the next turn
 * of the event loop, so without the pauses one long answer would delay all other requests until its end.
 */
async function* batch(pieces: AsyncIterable<Piece> | Iterable<Piece>, turn: () => Promise<void>): AsyncGenerator<Buffer> {
  let first = true;
  let waiting = '';
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      if (waiting !== '') yield Buffer.from(waiting);
      waiting = '';
      first = false;
      yield piece;
      await turn();
      continue;
    }
    waiting += piece;
    if (!first && waiting.length < batchCharacters) continue;
    if (waiting === '') continue;
    first = false;
    yield Buffer.from(waiting);
    waiting = '';
    await turn();
  }
  if (waiting !== '') yield Buffer.from(waiting);
}
