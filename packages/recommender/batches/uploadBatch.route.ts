import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import multipart from '@fastify/multipart';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { refuseEncoding } from '@vouch/platform/http/receiveBody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { BatchRecord, UploadForm } from './batch.schema.ts';
import type { BatchPlatform, UploadSettings } from './batchPlatform.ts';
import { insertBatches, type NewBatch } from './batchStore.ts';
import type { ConvertedFile, UploadLimits } from './conversions.ts';
import { Converters } from './parquet/converters.ts';
import { parseUpload } from './parseUpload.ts';
import { watchPace } from './senderPace.ts';
import { UploadGate } from './uploadGate.ts';

/** POST /v1/recommender/data_batch: stores every file of the form, or none. */
export function uploadBatchRoute(server: FastifyInstance, platform: BatchPlatform, settings: UploadSettings): void {
  const limits = { maxBytes: settings.upload_max_bytes, maxRows: settings.upload_max_rows };
  const gates = {
    arrival: new UploadGate({ ...arrivals, placeForSmall: false, name: 'uploads that arrive' }, platform.timers),
    conversion: new UploadGate(
      { places: settings.upload_concurrency, placesPerOwner: Infinity, placeForSmall: true, name: 'files that are read (VOUCH_UPLOAD_CONCURRENCY)' },
      platform.timers,
    ),
  };
  const converters = new Converters(platform.timers);
  server.addHook('onClose', () => converters.close());
  // Registered in a separate scope, because the plug-in's hooks cost each request of a route two promises and a listener (4
  // µs).
  void server.register(async (scope) => {
    await scope.register(multipart, {
      // The code that reads a file rejects a file over the limit, with the file's name.
      throwFileSizeLimit: false,
      // A client may omit the file name; a part named `files` is always a file.
      isPartAFile: (field, contentType, fileName) =>
        field === 'files' || field === 'files[]' || fileName !== undefined || contentType === 'application/octet-stream',
    });
    addRoute(scope, { platform, limits, gates, converters });
  });
}

/**
 * Uploads that may arrive concurrently. Each holds a connection, small buffers, and up to two files of maximum size on the
 * disk.
 */
const arrivals = { places: 64, placesPerOwner: 8 };

interface Gates {
  arrival: UploadGate;
  conversion: UploadGate;
}

interface Parts {
  platform: BatchPlatform;
  limits: UploadLimits;
  gates: Gates;
  converters: Converters;
}

function addRoute(server: FastifyInstance, { platform, limits, gates, converters }: Parts): void {
  server.post(
    '/v1/recommender/data_batch',
    {
      config: { scope: 'data:write', form: UploadForm, streamsBody: true, problems: ['invalid-csv', 'no-files', 'upload-interrupted', 'storage-unavailable', 'storage-full'] },
      // The size limit applies to each file while it arrives.
      bodyLimit: Number.MAX_SAFE_INTEGER,
      schema: {
        operationId: 'uploadBatches',
        summary: 'Upload batches',
        description:
          'multipart/form-data with one CSV file per field `files` (repeatable, plain or gzip) and optional `tags`. ' +
          'The header of a file determines its kind: entity files have id,type,name,metadata,media_url, interaction files ' +
          'type,source_id,target_id,timestamp,metadata. Vouch stores all files of a request or none.',
        tags: ['recommender'],
        consumes: ['multipart/form-data'],
        response: { 201: Type.Array(BatchRecord) },
      },
      onRequest: async (request) => requireForm(request, platform.publicUrl),
    },
    async (request, reply) => {
      const gone = new AbortController();
      const onClose = (): void => {
        if (!request.raw.complete) gone.abort(new Error('the sender of the upload disconnected'));
      };
      request.raw.once('close', onClose);
      const { organizationId: owner } = request.identity;
      try {
        return await gates.arrival.pass({ owner, size: 'large' }, () => receiveUpload(request, reply, {
          platform, limits, converters, signal: gone.signal, gate: gates.conversion, isWanted: () => gates.arrival.isWanted(owner),
        }), gone.signal);
      } catch (error) {
        if (!request.raw.destroyed || request.raw.complete) throw error;
        // The client can no longer read an answer, and the log must not record the disconnect as a server error.
        if (reply.sent) return reply;
        throw platformErrors.problem('malformed-request', 'The sender closed the connection before the whole form had arrived. Nothing was stored.');
      } finally {
        request.raw.off('close', onClose);
      }
    },
  );
}

interface Receiving {
  platform: BatchPlatform;
  limits: UploadLimits;
  converters: Converters;
  gate: UploadGate;
  /** Aborts when the sender disconnects. */
  signal: AbortSignal;
  /** Whether another upload waits for the place of this upload. */
  isWanted(): boolean;
}

/** Reads the form and stores its files. */
async function receiveUpload(request: FastifyRequest, reply: FastifyReply, { platform, limits, converters, gate, signal, isWanted }: Receiving): Promise<unknown> {
  const { organizationId: owner } = request.identity;
  const folder = await mkdtemp(join(platform.scratch, 'upload-'));
  const over = new AbortController();
  void watchPace(request.raw, isWanted, platform, AbortSignal.any([signal, over.signal])).then((problem) => {
    // The answer ends the connection, and therefore the reading.
    if (problem !== null && !reply.sent) reply.send(problem);
  });
  try {
    const { files, tags, hash } = await parseUpload(request, { limits, gate, converters, owner, folder, signal });
    const batches = await storeBlobs(platform, files);
    return await request.server.idempotency.answer(request, reply, hash, async (transaction) => ({
      status: 201,
      body: await insertBatches(transaction, owner, { batches, tags, at: new Date(platform.clock.now()) }),
    }));
  } finally {
    over.abort();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Stores the files' blobs after every file of the request was found valid. Blobs that no row references are collected later.
 */
async function storeBlobs(platform: BatchPlatform, files: readonly ConvertedFile[]): Promise<NewBatch[]> {
  const batches: NewBatch[] = [];
  for (const { kind, rows, bytes, parquetPath } of files) {
    const { name } = await platform.blobs.putFile(parquetPath);
    batches.push({ batchId: platform.random.uuid(), kind, blob: name, rows, csvBytes: bytes });
  }
  return batches;
}

function requireForm(request: FastifyRequest, publicUrl: string): void {
  const refused = refuseEncoding(request, 'Send the form without Content-Encoding; each file of the form can be compressed with gzip.');
  if (refused !== null) throw refused;
  const type = request.headers['content-type'] ?? 'none';
  if (/^multipart\/form-data\s*(;|$)/i.test(type)) return;
  throw platformErrors.problem(
    'unsupported-media-type',
    `The content type is ${type.slice(0, 80)}; data is uploaded as CSV files, in a form (multipart/form-data) with the field files: ` +
      `curl -H "apikey: $KEY" -F files=@movies.csv -F tags=movies ${publicUrl}/v1/recommender/data_batch`,
  );
}
