import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import Fastify from 'fastify';

/** Reference server: a Fastify server in a separate process that only sends given bytes from memory. */

const [bodiesPath, port] = process.argv.slice(2);
if (bodiesPath === undefined || port === undefined) {
  throw new Error('Usage: memoryServer.ts <JSON file with a list of answer texts> <port>');
}

const bodies = (JSON.parse(readFileSync(bodiesPath, 'utf8')) as string[]).map((text) => Buffer.from(text));
const block = Buffer.concat(bodies);
let next = 0;

const server = Fastify({ logger: false });

server.get('/v1/recommender/related_items', (_request, reply) => {
  next = (next + 1) % bodies.length;
  return reply.type('text/csv; charset=utf-8').send(bodies[next]);
});

/** Sends the requested number of bytes from memory, in pieces of the same size as a file stream. */
server.get<{ Querystring: { bytes: string } }>('/stream', (request, reply) => {
  return reply.type('text/csv; charset=utf-8').send(Readable.from(pieces(Number(request.query.bytes))));
});

function* pieces(bytes: number): Generator<Buffer> {
  const pieceBytes = Math.min(65_536, block.length);
  for (let sent = 0; sent < bytes; sent += pieceBytes) yield block.subarray(0, Math.min(pieceBytes, bytes - sent));
}

await server.listen({ host: '127.0.0.1', port: Number(port) });
console.log('listening');
