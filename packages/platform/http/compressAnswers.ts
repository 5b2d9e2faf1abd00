import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
const compressible = /^(?:text\/|image\/svg|application\/(?:json|javascript|x-yaml))/;
/** Below about one packet, compression saves nothing. */
const minBytes = 1_400;
/** Name of a file in one spelling, so that the number of kept files is at most the number of files. */
const plainName = /^[\w-][\w.-]*$/;

/**
 * Compresses the answers of a scope with gzip, each once: the compressed answers stay in memory. Therefore the scope may only have routes with few
 * different answers that are no secrets: pages, scripts and styles, not search results.
 */
export function compressAnswers(scope: FastifyInstance): void {
  const kept = new Map<unknown, Promise<Buffer>>();
  scope.addHook('onSend', async (request, reply, payload) => {
    const key = identify(request, reply, payload);
    if (key === null) return payload;
    reply.header('vary', 'accept-encoding');
    if (!acceptsGzip(request)) return payload;
    const known = kept.get(key);
    if (known !== undefined && payload instanceof Readable) payload.destroy();
    const compressed = known ?? load(payload).then((content) => compress(content, { level: 9 }));
    kept.set(key, compressed);
    compressed.catch(() => kept.delete(key));
    const content = await compressed;
    reply.removeHeader('content-length').header('content-encoding', 'gzip');
    return content;
  });
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers['accept-encoding'] ?? '');
}

/** Returns what tells an answer from others: its content, or the name of its file; null for an answer that is sent as it is. */
function identify(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (request.method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('content-encoding')) return null;
  if (!compressible.test(String(reply.getHeader('content-type') ?? ''))) return null;
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length < minBytes ? null : payload;
  const name = (request.params as { '*'?: string })['*'] ?? '';
  return payload instanceof Readable && plainName.test(name) ? `${request.routeOptions.url} ${name}` : null;
}

async function load(payload: unknown): Promise<Buffer> {
  return payload instanceof Readable ? buffer(payload) : Buffer.from(payload as string | Buffer);
}
