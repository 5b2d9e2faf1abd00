import { createHash, type Hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MultipartFile } from '@fastify/multipart';
import { nearestName } from '@vouch/platform/config/nearestName';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { Problem, type Fault } from '@vouch/platform/errors/problem';
import { readTags } from '@vouch/platform/http/parameters';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import type { Doors } from '@vouch/platform/process/doors';
import type { FastifyRequest } from 'fastify';
import { recommenderErrors } from '../errors.ts';
import { convertFile } from './parquet/convertFile.ts';
import type { ConversionResult } from './parquet/convertFile.messages.ts';
import { maximumFaults, type TableKind } from './scan/columns.ts';
import type { UploadGate } from './uploadGate.ts';

export interface UploadLimits {
  maximumBytes: number;
  maximumRows: number;
}

/** An uploaded file that is good and lies as Parquet in the scratch folder. */
export interface ConvertedFile {
  kind: TableKind;
  rows: number;
  bytes: number;
  parquetPath: string;
}

export interface Upload {
  files: ConvertedFile[];
  tags: string[];
  /** SHA-256 over the fields and the bytes of the files as they were sent. */
  hash: string;
}

const fieldNames = ['files', 'tags'];
/** Each file takes a process in turn, so a request with more is split. */
const maximumFiles = 32;
/** More than the tags of a batch, so that too many tags are counted in the answer. */
const maximumFields = 100;
const maximumTags = 32;
const maximumTagLength = 64;

/**
 * Reads an upload form: every part in its order, every fault of every part, then one answer. Files are checked and
 * converted while they arrive, one after the other.
 * @param folder empty scratch folder of this request; the caller removes it
 * @param signal aborts when the sender is gone
 * @throws Problem naming all faults (up to 100)
 */
export async function readUpload(
  request: FastifyRequest,
  context: { limits: UploadLimits; gate: UploadGate; doors: Pick<Doors, 'clock' | 'timers'>; folder: string; signal: AbortSignal },
): Promise<Upload> {
  const hash = createHash('sha256');
  const files: ConvertedFile[] = [];
  const fileFaults: Fault[] = [];
  const fieldFaults: Fault[] = [];
  const tagTexts: unknown[] = [];
  let count = 0;
  for await (const part of partsOf(request, context.limits)) {
    hash.update(`\0${part.type}\0${part.fieldname}\0`);
    if (part.type === 'field') {
      hash.update(JSON.stringify(part.value) ?? '');
      const fault = readField(part.fieldname, part.valueTruncated);
      if (fault !== null) fieldFaults.push(fault);
      else tagTexts.push(part.value);
    } else if (part.fieldname !== 'files' && part.fieldname !== 'files[]') {
      part.file.resume();
      fieldFaults.push(isTags(part.fieldname) ? tagsAsFile : unknownField(part.fieldname));
    } else {
      const folder = join(context.folder, String(count++));
      await mkdir(folder);
      const result = await context.gate.pass(() => convertPart(part, hash, folder, context), context.signal);
      if ('faults' in result) fileFaults.push(...result.faults);
      else files.push(result);
    }
  }
  const tags = checkTags(tagTexts, fieldFaults);
  refuseFaults(fieldFaults, fileFaults, count);
  return { files, tags, hash: hash.digest('hex') };
}

async function* partsOf(request: FastifyRequest, limits: UploadLimits): ReturnType<FastifyRequest['parts']> {
  try {
    yield* request.parts({
      limits: { fileSize: limits.maximumBytes + 1, files: maximumFiles, fields: maximumFields, fieldSize: 65_536, parts: 200 },
    });
  } catch (error) {
    throw error instanceof Problem ? error : explainForm(error);
  }
}

/** Faults of the form itself. The parser's own errors carry no status, or those of the plug-in. */
function explainForm(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'FST_FILES_LIMIT') return platformErrors.problem('too-large', `A request takes at most ${maximumFiles} files. Split it over several requests.`);
  if (code === 'FST_FIELDS_LIMIT') return platformErrors.problem('too-large', `A form takes at most ${maximumFields} fields beside its files. Name several tags in one field, separated by commas.`);
  if (code === 'FST_INVALID_JSON_FIELD_ERROR') {
    const detail = 'A field of the form says that it is application/json, and is not JSON. Send tags as text (movies,2024) without a content type, or as a JSON list.';
    return platformErrors.problem('invalid-parameter', `${detail} Nothing was stored.`, { errors: [{ location: '/tags', detail }] });
  }
  if (code.startsWith('FST_')) return error;
  if (code !== '') return error;
  return platformErrors.problem(
    'malformed-request', `The multipart body cannot be read (${error.message.slice(0, 160)}). Check the boundary, and that the whole body was sent.`,
  );
}

async function convertPart(
  part: MultipartFile, hash: Hash, folder: string, context: { limits: UploadLimits; doors: Pick<Doors, 'clock' | 'timers'>; signal: AbortSignal },
): Promise<ConvertedFile | { faults: Fault[] }> {
  const { limits, doors, signal } = context;
  const fileName = nameOf(part);
  const parquetPath = join(folder, 'parquet');
  let sentBytes = 0;
  const sent = (chunk: Uint8Array): void => {
    sentBytes += chunk.length;
    if (sentBytes > limits.maximumBytes) throw tooLarge(fileName, `has more than ${limits.maximumBytes} bytes; split it, or raise VOUCH_UPLOAD_MAX_BYTES`);
    hash.update(chunk);
  };
  try {
    const result = await convertFile({ fileName, folder, parquetPath, ...limits, content: part.file, sent, signal }, doors);
    return judge(result, fileName, parquetPath);
  } catch (error) {
    throw error instanceof ChildFailed ? childFailed(error, fileName) : explainForm(error);
  }
}

function judge(result: ConversionResult, fileName: string, parquetPath: string): ConvertedFile | { faults: Fault[] } {
  switch (result.outcome) {
    case 'converted': return { kind: result.kind, rows: result.rows, bytes: result.bytes, parquetPath };
    case 'faults': return { faults: result.faults };
    case 'too-large': throw tooLarge(fileName, result.detail);
    case 'storage-full':
      throw platformErrors.problem('storage-full', `The disk was full while ${fileName} was read; nothing was stored. Free space, then send the request again.`);
  }
}

function tooLarge(fileName: string, why: string): Problem {
  const detail = `The file ${fileName} ${why}.`;
  return platformErrors.problem('too-large', `${detail} Nothing was stored.`, { errors: [{ location: `file:${fileName}`, detail }] });
}

function childFailed(failure: ChildFailed, fileName: string): Problem {
  if (failure.end.kind === 'disk') {
    return tooLarge(fileName, 'grew beyond what a file of the allowed size can become');
  }
  return recommenderErrors.problem('upload-interrupted', `The file ${fileName} was not stored, nor was anything else of the request: ${describe(failure)}. Send it again.`, { cause: failure });
}

function describe(failure: ChildFailed): string {
  return failure.message.split('\n', 1)[0]?.slice(0, 200) ?? '';
}

/** The name that faults carry; a part without one is still a file. */
function nameOf(part: MultipartFile): string {
  const name = (part.filename ?? '').replace(/\p{Cc}/gu, '').slice(0, 200);
  return name === '' ? 'unnamed' : name;
}

function isTags(name: string): boolean {
  return name === 'tags' || name === 'tags[]';
}

const tagsAsFile: Fault = {
  location: '/tags',
  detail: 'tags was sent as a file, with a file name or as application/octet-stream. Send it as a plain field, with curl -F tags=movies.',
};

function readField(name: string, truncated: boolean): Fault | null {
  if (!isTags(name)) return unknownField(name);
  return truncated ? { location: '/tags', detail: 'tags is longer than 65536 bytes.' } : null;
}

function unknownField(name: string): Fault {
  const shown = name.slice(0, 80);
  const nearest = nearestName(shown, fieldNames);
  const hint = nearest === null ? `known are ${fieldNames.join(', ')}.` : `did you mean ${nearest}?`;
  return { location: `/${shown}`, detail: `${shown} is not a field of this form; ${hint}`, value: shown };
}

function checkTags(texts: readonly unknown[], faults: Fault[]): string[] {
  const tags = readTags(texts.flat());
  if (tags === null) {
    faults.push({ location: '/tags', detail: 'tags must be text or a list of texts.' });
    return [];
  }
  if (tags.length > maximumTags) {
    faults.push({ location: '/tags', detail: `${tags.length} tags were given; a batch has at most ${maximumTags}.` });
  }
  for (const tag of tags) {
    if (tag.length <= maximumTagLength && !tag.includes('\0')) continue;
    const value = `${tag.slice(0, 40)}…`;
    faults.push({ location: '/tags', detail: `the tag ${value} has ${tag.length} characters; a tag has at most ${maximumTagLength} and no NUL.`, value });
  }
  return tags;
}

/** One problem for everything that is wrong with the request. */
function refuseFaults(fieldFaults: readonly Fault[], fileFaults: readonly Fault[], files: number): void {
  const errors = [...fieldFaults, ...fileFaults].slice(0, maximumFaults);
  const [first] = errors;
  if (first === undefined) {
    if (files > 0) return;
    throw recommenderErrors.problem('no-files', 'The request has no file. Send each CSV file as a form field named `files`.');
  }
  const more = errors.length > 1 ? ` ${errors.length - 1} more in \`errors\`.` : '';
  if (fieldFaults.length > 0) {
    const unknown = fieldFaults.some((fault) => fault.location !== '/tags');
    throw platformErrors.problem(unknown ? 'unknown-parameter' : 'invalid-parameter', `${first.detail}${more} Nothing was stored.`, { errors });
  }
  throw recommenderErrors.problem('invalid-csv', `${placeOf(first)}: ${first.detail}.${more} Nothing of the request was stored.`, { errors });
}

function placeOf({ location, row, line }: Fault): string {
  const place = [row === undefined ? '' : `row ${row}`, line === undefined ? '' : `line ${line}`].filter((text) => text !== '');
  return [location.replace(/^file:/, ''), ...place].join(', ');
}
