import { Readable } from 'node:stream';
import { BlobMissing, type Blobs, type ByteRange } from '@vouch/platform/blobs/blobs';
import { typed } from '@vouch/platform/http/request';
import type { LinkSigner } from '@vouch/platform/http/signedLink';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { videoErrors } from '../errors/videoErrors.ts';
import { findOutput, type Output } from './outputStore.ts';
import { artifactPath, type ArtifactLinks } from './artifactLinks.ts';
import { parseRange } from './parseRange.ts';
import { contentDisposition, downloadName } from './downloadName.ts';
import { linkFiles, namesFiles } from './linkFiles.ts';

const ArtifactParameters = Type.Object({ run_id: Type.String(), name: Type.String() });
/** Strings, not numbers: the signature covers the strings, and a string that is not a number makes the link invalid. */
const ArtifactQuery = Type.Object({ expires: Type.Optional(Type.String()), signature: Type.Optional(Type.String()) });

/** Content of an answer: a blob, or text derived from a blob. */
interface Content {
  bytes: number;
  /** ETag; changes with the content. */
  tag: string;
  read(range: ByteRange | undefined): Promise<Readable>;
}

/** GET and HEAD /v1/artifacts/{run_id}/{name}: the files of runs. The signature of the link is the only authorization. */
export function artifactRoute(server: FastifyInstance, platform: Platform, links: ArtifactLinks): void {
  typed(server).route({
    method: ['GET', 'HEAD'],
    url: '/v1/artifacts/:run_id/:name',
    config: { scope: null, problems: ['unknown-output', 'link-invalid', 'link-expired', 'range-unsatisfiable', 'storage-unavailable', 'database-unavailable'] },
    schema: {
      operationId: 'getArtifact',
      summary: 'A file of a summarization',
      description: 'Returns a file of a run. The record of the run has signed URLs, which need no key. Supports ranges and conditional requests.',
      tags: ['video'],
      params: ArtifactParameters,
      querystring: ArtifactQuery,
      produces: ['video/mp4', 'video/webm', 'image/gif', 'image/webp', 'image/jpeg', 'text/vtt', 'application/vnd.apple.mpegurl', 'application/json', 'text/html'],
      response: {
        200: Type.String({ description: 'The file.' }),
        206: Type.String({ description: 'The requested range of the file.' }),
        304: Type.Null({ description: 'The file has not changed.' }),
      },
    },
    handler: async (request, reply) => {
      const { run_id: runId, name } = request.params;
      const signer = await links.open();
      const expiresAt = checkLink(signer, artifactPath(runId, name), request.query, platform.clock.now());
      const output = await findOutput(platform.database, runId, name);
      if (output === null) throw videoErrors.problem('unknown-output', `The run has no file ${JSON.stringify(name.slice(0, 80))}.`);
      const content = await openContent(platform.blobs, output, signer, expiresAt, artifactPath(runId, ''));
      const secondsLeft = Math.floor((expiresAt - platform.clock.now()) / 1000);
      reply.headers({
        etag: content.tag,
        'accept-ranges': 'bytes',
        'cache-control': `public, max-age=${Math.max(0, secondsLeft)}, immutable`,
        'content-disposition': contentDisposition(downloadName(output.mediaUrl, output.name)),
        // Pages of other sites show previews; anyone with the link may read the file.
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
      return answer(request, reply, output.contentType, content);
    },
  });
}

/**
 * Checks the signature and the expiry of a link.
 * @returns when the link expires, ms since the Unix epoch
 * @throws Problem `link-expired`, `link-invalid`
 */
function checkLink(signer: LinkSigner, path: string, query: { expires?: string; signature?: string }, now: number): number {
  const expiresAt = Number(query.expires) * 1000;
  if (signer.verify(path, query)) return expiresAt;
  if (/^\d{1,12}$/.test(query.expires ?? '') && expiresAt <= now) {
    throw videoErrors.problem(
      'link-expired', `The link expired at ${new Date(expiresAt).toISOString()}. GET /v1/status/{run_id} returns a new link.`);
  }
  throw videoErrors.problem(
    'link-invalid', 'The signature does not match the URL. Use the complete URL that GET /v1/status/{run_id} returns.');
}

async function openContent(blobs: Blobs, output: Output, signer: LinkSigner, expiresAt: number, base: string): Promise<Content> {
  if (!namesFiles(output.kind)) {
    return { bytes: output.bytes, tag: `"${output.blob}"`, read: (range) => blobs.read(output.blob, range) };
  }
  const text = Buffer.concat(await (await blobs.read(output.blob)).toArray());
  const linked = Buffer.from(linkFiles(output.kind, text.toString('utf8'), (name) => signer.sign(base + encodeURIComponent(name), expiresAt)));
  return {
    bytes: linked.length,
    tag: `"${output.blob}-${expiresAt / 1000}"`,
    read: async (range) => Readable.from([linked.subarray(range?.start, range?.end)], { objectMode: false }),
  };
}

async function answer(request: FastifyRequest, reply: FastifyReply, contentType: string, content: Content): Promise<FastifyReply> {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  if (matches(ifNoneMatch, content.tag)) return reply.code(304).send();
  // `If-Range` with a date never matches, because the content is identified by its hash.
  const wanted = ifRange === undefined || ifRange === content.tag ? parseRange(range, content.bytes) : null;
  if (wanted === 'unsatisfiable') {
    throw videoErrors.problem('range-unsatisfiable', `The file has ${content.bytes} bytes; the range ${(range ?? '').slice(0, 80)} is outside the file.`, {
      headers: { 'content-range': `bytes */${content.bytes}`, 'accept-ranges': 'bytes' },
    });
  }
  const part = wanted ?? { start: 0, end: content.bytes };
  reply.type(contentType).header('content-length', part.end - part.start);
  if (wanted !== null) reply.code(206).header('content-range', `bytes ${part.start}-${part.end - 1}/${content.bytes}`);
  if (request.method === 'HEAD') return reply.send();
  const stream = await content.read(wanted ?? undefined).catch((error: unknown) => {
    if (!(error instanceof BlobMissing)) throw error;
    throw videoErrors.problem('unknown-output', 'The file is missing in the blob store.', { cause: error });
  });
  return reply.send(stream);
}

/** Whether `If-None-Match` contains the ETag, by weak comparison (RFC 9110 §13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  return header !== undefined && header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}
