import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { hasBody } from '@vouch/platform/http/receiveBody';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { VideoSettings } from '../config/videoSettings.ts';
import { receivePieces } from './receivePieces.ts';
import { ReceivingPlaces } from './receivingPlaces.ts';
import { capabilities, describeTusRequest, fileNameOf, pieceType, readBytes, readMetadata, requireVersion, stateOf, withTusHeaders } from './tusHeaders.ts';
import { findUpload, insertUpload, removeUpload, wrongOffset } from './uploadStore.ts';
import { uploadUrl } from './uploadUrl.ts';

const path = '/v1/uploads';

const UploadRecord = Type.Object({
  upload_id: Type.String(),
  media_url: Type.String({ description: 'The value to send as `media_url` once the upload is complete. After the id, it has the `filename` of `Upload-Metadata`, which names the files of runs.' }),
  length: Type.Integer({ description: 'Size of the file, bytes.' }),
  expires_at: Type.String({ format: 'date-time' }),
}, {
  title: 'Upload',
  examples: [{
    upload_id: '0f0a7c0e-6a52-4b53-9d6f-5b0f9a9d7a11', media_url: 'upload:0f0a7c0e-6a52-4b53-9d6f-5b0f9a9d7a11/Alpine%20Trip.mp4', length: 73_400_320, expires_at: '2026-11-27T12:00:00.000Z',
  }],
});

const UploadParameters = Type.Object({ upload_id: Type.String({ description: 'The `upload_id` that POST /v1/uploads returned.' }) });
const Nothing = Type.Null({ description: 'The state of the upload is in the headers `Upload-Offset` and `Upload-Expires`.' });

/** The routes of /v1/uploads: resumable uploads of media files by the tus protocol 1.0.0, with creation, termination and expiration. */
export function uploadRoutes(server: FastifyInstance, platform: Platform, settings: VideoSettings): void {
  void server.register(async (scope) => {
    // Registered for these routes only: the body stays a stream.
    scope.addContentTypeParser(pieceType, (_request, payload, done) => done(null, payload));
    scope.addHook('onRequest', async (request, reply) => requireVersion(request, reply));
    createUpload(scope, platform, settings);
    continueUpload(scope, platform);
    readUpload(scope, platform);
    deleteUpload(scope, platform);
    for (const url of [path, `${path}/:upload_id`]) {
      scope.options(url, { config: { scope: null }, schema: { hide: true } }, async (_request, reply) =>
        reply.code(204).headers(capabilities(settings.video_max_bytes)).send());
    }
  });
}

function createUpload(server: FastifyInstance, platform: Platform, { video_max_bytes: maxBytes, video_uploads_max_bytes: maxStored }: VideoSettings): void {
  typed(server).post(path, {
    config: { scope: 'video:write', problems: ['tus-version', 'too-many-uploads', 'uploads-full'] },
    schema: {
      operationId: 'createUpload',
      summary: 'Start an upload',
      description: 'Starts a resumable upload of a media file by the tus protocol 1.0.0. The header `Upload-Length` has the size of the file; the answer has the URL of the upload in the header `Location`.',
      tags: ['video'],
      headers: describeTusRequest('Upload-Length', 'Upload-Metadata'),
      response: { 201: withTusHeaders(UploadRecord, 'Location', 'Upload-Offset', 'Upload-Expires') },
    },
  }, async (request, reply) => {
    if (hasBody(request)) throw platformErrors.problem('malformed-request', 'POST /v1/uploads takes no body. Send the file with PATCH to the URL in the header Location.');
    const length = readBytes(request, 'Upload-Length');
    const metadata = readMetadata(request);
    if (length > maxBytes) throw platformErrors.problem('too-large', `Upload-Length is ${length} bytes; the limit is ${maxBytes}. Use a smaller file, or raise VOUCH_VIDEO_MAX_BYTES.`);
    const hash = createHash('sha256').update(JSON.stringify([path, length, metadata])).digest('hex');
    return server.idempotency.answer(request, reply, hash, async (transaction) => {
      const upload = await insertUpload(transaction, request.identity.organizationId, { uploadId: platform.random.uuid(), length, metadata }, maxStored);
      const { uploadId, expiresAt } = upload;
      return {
        status: 201,
        headers: { location: `${platform.publicUrl}${path}/${uploadId}`, ...stateOf(upload) },
        body: { upload_id: uploadId, media_url: uploadUrl(uploadId, fileNameOf(metadata)), length, expires_at: expiresAt.toISOString() },
      };
    });
  });
}

function continueUpload(server: FastifyInstance, platform: Platform): void {
  const places = new ReceivingPlaces();
  typed(server).patch(`${path}/:upload_id`, {
    config: { scope: 'video:write', streamsBody: true, problems: ['tus-version', 'unknown-upload', 'upload-offset', 'storage-unavailable', 'storage-full'] },
    // Upload-Length limits the body while it arrives.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    schema: {
      operationId: 'continueUpload',
      summary: 'Send a part of an upload',
      description: `Appends the body (${pieceType}) to the upload, from the header \`Upload-Offset\` on. If the connection breaks, HEAD returns the offset from which to continue.`,
      tags: ['video'],
      params: UploadParameters,
      headers: describeTusRequest('Upload-Offset'),
      response: { 204: withTusHeaders(Nothing, 'Upload-Offset', 'Upload-Expires') },
    },
  }, async (request, reply) => {
    const { organizationId } = request.identity;
    const offset = readBytes(request, 'Upload-Offset');
    const upload = await findUpload(platform.database, organizationId, request.params.upload_id);
    if (offset !== upload.received) throw wrongOffset(offset, upload.received);
    if (!(request.body instanceof Readable)) {
      throw platformErrors.problem('unsupported-media-type', `The body of PATCH needs the header content-type: ${pieceType}.`);
    }
    places.enter(organizationId);
    try {
      return await reply.code(204).headers(stateOf(await receivePieces(platform, organizationId, upload, request.body))).send(null);
    } catch (error) {
      if (!request.raw.destroyed || request.raw.complete) throw error;
      throw platformErrors.problem('malformed-request', 'The sender closed the connection before the body was complete. The bytes that arrived are stored.');
    } finally {
      places.leave(organizationId);
    }
  });
}

function readUpload(server: FastifyInstance, platform: Platform): void {
  typed(server).head(`${path}/:upload_id`, {
    config: { scope: 'video:write', problems: ['tus-version', 'unknown-upload'], swagger: { exposeHeadRoute: true } },
    schema: {
      operationId: 'headUpload',
      summary: 'Offset of an upload',
      description: 'Returns the number of stored bytes in the header `Upload-Offset`.',
      tags: ['video'],
      params: UploadParameters,
      headers: describeTusRequest(),
      response: { 200: withTusHeaders(Nothing, 'Upload-Offset', 'Upload-Expires', 'Upload-Length', 'Upload-Metadata') },
    },
  }, async (request, reply) => {
    const upload = await findUpload(platform.database, request.identity.organizationId, request.params.upload_id);
    reply.headers({ ...stateOf(upload), 'upload-length': String(upload.length) });
    if (upload.metadata !== null) reply.header('upload-metadata', upload.metadata);
    return reply.code(200).send(null);
  });
}

function deleteUpload(server: FastifyInstance, platform: Platform): void {
  typed(server).delete(`${path}/:upload_id`, {
    config: { scope: 'video:write', problems: ['tus-version', 'unknown-upload'] },
    schema: {
      operationId: 'deleteUpload',
      summary: 'Delete an upload',
      description: 'Removes an upload. A run that has not read the upload yet ends with the error `unknown-upload`.',
      tags: ['video'],
      params: UploadParameters,
      headers: describeTusRequest(),
      response: { 204: withTusHeaders(Type.Null({ description: 'The upload is removed.' })) },
    },
  }, async (request, reply) => {
    await removeUpload(platform.database, request.identity.organizationId, request.params.upload_id);
    return reply.code(204).send(null);
  });
}
