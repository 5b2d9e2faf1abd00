import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TObject, type TSchema } from 'typebox';
import { videoErrors } from '../errors/videoErrors.ts';
import type { Upload } from './uploadStore.ts';

/** Version of the tus protocol, https://tus.io/protocols/resumable-upload. */
const tusVersion = '1.0.0';
export const pieceType = 'application/offset+octet-stream';
const maxMetadata = 4096;
/** Characters of a file name that are kept; file systems allow 255 bytes. */
const maxFileName = 255;

const bytes = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const protocol = Type.Literal(tusVersion, { description: 'Version of the tus protocol.' });
const requestHeaders = {
  'Upload-Length': bytes('Size of the file, bytes.'),
  'Upload-Offset': bytes('Number of bytes that the server has stored; the body continues there.'),
  'Upload-Metadata': Type.Optional(Type.String({
    maxLength: maxMetadata,
    description: 'Pairs of a name and a Base64 value, separated by commas. `filename` names the files of runs, for example `filename QWxwaW5lIFRyaXAubXA0`.',
  })),
};
const answerHeaders = {
  'Tus-Resumable': protocol,
  'Upload-Offset': bytes('Number of stored bytes, from which to continue.'),
  'Upload-Expires': Type.String({ description: 'HTTP date at which the server deletes the upload.' }),
  'Upload-Length': bytes('Size of the file, bytes.'),
  'Upload-Metadata': Type.String({ description: '`Upload-Metadata` of the request that started the upload; absent if that had none.' }),
  Location: Type.String({ description: 'URL of the upload.' }),
};

/** Describes the headers of a request, for the OpenAPI document; the functions below read and check them. */
export function describeTusRequest(...names: readonly (keyof typeof requestHeaders)[]): TObject {
  return Type.Object({ 'Tus-Resumable': protocol, ...Object.fromEntries(names.map((name) => [name, requestHeaders[name]])) });
}

/** Adds to the schema of an answer the headers of the tus protocol that the answer has, for the OpenAPI document. */
export function withTusHeaders<Schema extends TSchema>(schema: Schema, ...names: readonly (keyof typeof answerHeaders)[]): Schema {
  return { ...schema, headers: Object.fromEntries((['Tus-Resumable', ...names] as const).map((name) => [name, answerHeaders[name]])) };
}

/** Headers of the answer to OPTIONS. */
export function capabilities(maxBytes: number): Record<string, string> {
  return { 'tus-version': tusVersion, 'tus-max-size': String(maxBytes), 'tus-extension': 'creation,termination,expiration' };
}

/** Adds the protocol version to every answer, also to errors, and rejects other versions. @throws Problem `tus-version` */
export function requireVersion(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('tus-resumable', tusVersion);
  if (request.method === 'OPTIONS') return;
  const given = request.headers['tus-resumable'];
  if (given === tusVersion) return;
  reply.header('tus-version', tusVersion);
  throw videoErrors.problem('tus-version', given === undefined
    ? 'The header Tus-Resumable is missing. Uploads use the tus protocol 1.0.0: send the header Tus-Resumable: 1.0.0.'
    : `The header Tus-Resumable is ${JSON.stringify(String(given).slice(0, 40))}; the server supports ${tusVersion}.`);
}

/** Reads a header with a number of bytes. @throws Problem `malformed-request` */
export function readBytes(request: FastifyRequest, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = request.headers[name.toLowerCase()];
  const value = Number(text);
  if (typeof text === 'string' && /^\d{1,16}$/.test(text) && Number.isSafeInteger(value)) return value;
  const found = text === undefined ? 'is missing' : `is ${JSON.stringify(String(text).slice(0, 40))}`;
  throw platformErrors.problem('malformed-request', `The header ${name} ${found}; it must be a whole number of bytes, 0 or more.`);
}

/** Reads `Upload-Metadata`: pairs of a name and a Base64 value, separated by commas. @throws Problem `malformed-request` */
export function readMetadata(request: FastifyRequest): string | null {
  const text = request.headers['upload-metadata'];
  if (text === undefined || text === '') return null;
  const pair = /^[\x21-\x2b\x2d-\x7e]+( [A-Za-z0-9+/]*={0,2})?$/;
  if (typeof text === 'string' && text.length <= maxMetadata && text.split(',').every((each) => pair.test(each.trim()))) return text;
  throw platformErrors.problem('malformed-request', `The header Upload-Metadata must have pairs of a name and a Base64 value, separated by commas, and at most ${maxMetadata} characters.`);
}

/** Returns the value `filename` of `Upload-Metadata`; null without one. @param metadata a text that `readMetadata` returned */
export function fileNameOf(metadata: string | null): string | null {
  const pair = metadata?.split(',').map((each) => each.trim().split(' ')).find(([name]) => name === 'filename');
  const name = Buffer.from(pair?.[1] ?? '', 'base64').toString('utf8').slice(0, maxFileName).toWellFormed();
  return name === '' ? null : name;
}

/** Headers that describe the state of an upload. */
export function stateOf({ received, expiresAt }: Upload): Record<string, string> {
  return { 'upload-offset': String(received), 'upload-expires': expiresAt.toUTCString(), 'cache-control': 'no-store' };
}
