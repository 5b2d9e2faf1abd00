import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nearestName } from '@vouch/platform/config/nearestName';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { Problem, type Fault } from '@vouch/platform/errors/problem';
import { shortenJson } from '@vouch/platform/errors/shorten';
import { parseTags } from '@vouch/platform/http/parameters';
import type { FastifyRequest } from 'fastify';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { maxFiles } from './batch.schema.ts';
import { Conversions, type ConversionContext, type ConvertedFile, type UploadLimits } from './conversions.ts';
import { receiveFile } from './receiveFile.ts';
import { maxFaults } from './scan/columns.ts';

export interface Upload {
  files: ConvertedFile[];
  tags: string[];
  /** SHA-256 over the fields and the bytes of the files as uploaded. */
  hash: string;
}

const fieldNames = ['files', 'tags'];
/** More than the maximum number of tags, so that the answer can report the number of excess tags. */
const maxFields = 100;
const maxTags = 32;
const maxTagLength = 64;

/**
 * Reads all parts of an upload form in order and collects the faults of all parts for one answer. Files are written to the
 * disk as they arrive, and converted from the disk one after the other.
 * @param context `folder`: empty scratch folder of this request; the caller removes the folder
 * @throws Problem with all faults (up to 100); all conversions have then ended
 */
export async function parseUpload(request: FastifyRequest, context: ConversionContext & { folder: string }): Promise<Upload> {
  const stop = new AbortController();
  const conversions = new Conversions({ ...context, signal: AbortSignal.any([context.signal, stop.signal]) });
  try {
    return await parseParts(request, context, conversions);
  } catch (error) {
    stop.abort(error);
    await conversions.stopped();
    throw explainForm(error);
  }
}

async function parseParts(request: FastifyRequest, { folder, limits }: ConversionContext & { folder: string }, conversions: Conversions): Promise<Upload> {
  const hash = createHash('sha256');
  const fieldFaults: Fault[] = [];
  const tagTexts: unknown[] = [];
  let count = 0;
  for await (const part of partsOf(request, limits)) {
    hash.update(`\0${part.type}\0${part.fieldname}\0`);
    if (part.type === 'field') {
      hash.update(JSON.stringify(part.value) ?? '');
      const fault = checkField(part.fieldname, part.valueTruncated);
      if (fault !== null) fieldFaults.push(fault);
      else tagTexts.push(part.value);
    } else if (part.fieldname !== 'files' && part.fieldname !== 'files[]') {
      part.file.resume();
      fieldFaults.push(isTags(part.fieldname) ? tagsAsFile : unknownField(part.fieldname));
    } else {
      // The stream can fail before it is read below; reading then throws the error.
      part.file.on('error', () => {});
      await conversions.room();
      const own = join(folder, String(count++));
      await mkdir(own);
      conversions.add(await receiveFile(part, join(own, 'sent'), hash, limits.maxBytes));
    }
  }
  const tags = checkTags(tagTexts, fieldFaults);
  await conversions.done();
  refuseFaults(fieldFaults, conversions.faults, count);
  return { files: conversions.files, tags, hash: hash.digest('hex') };
}

function partsOf(request: FastifyRequest, limits: UploadLimits): ReturnType<FastifyRequest['parts']> {
  return request.parts({
    limits: { fileSize: limits.maxBytes + 1, files: maxFiles, fields: maxFields, fieldSize: 65_536, parts: 200 },
  });
}

/** Converts errors of the form parser to problems. The parser's own errors have no status, or a status of the plug-in. */
function explainForm(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'FST_FILES_LIMIT') return platformErrors.problem('too-large', `A request has at most ${maxFiles} files. Split the upload into several requests.`);
  if (code === 'FST_FIELDS_LIMIT') return platformErrors.problem('too-large', `A form has at most ${maxFields} fields in addition to its files. Send several tags in one field, separated by commas.`);
  if (code === 'FST_INVALID_JSON_FIELD_ERROR') {
    const detail = 'A field of the form has the content type application/json, but it is not JSON. Send tags as text (movies,2024) without a content type, or as a JSON list.';
    return platformErrors.problem('invalid-parameter', `${detail} Nothing was stored.`, { errors: [{ location: '/tags', detail }] });
  }
  if (code.startsWith('FST_')) return error;
  if (code !== '') return error;
  return platformErrors.problem(
    'malformed-request', `The multipart body cannot be read (${error.message.slice(0, 160)}). Check the boundary, and that the whole body was sent.`,
  );
}

function isTags(name: string): boolean {
  return name === 'tags' || name === 'tags[]';
}

const tagsAsFile: Fault = {
  location: '/tags',
  detail: 'tags was sent as a file, with a file name or as application/octet-stream. Send it as a plain field, with curl -F tags=movies.',
};

function checkField(name: string, truncated: boolean): Fault | null {
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
  const tags = parseTags(texts.flat());
  if (tags === null) {
    faults.push({ location: '/tags', detail: `tags is ${shortenJson(JSON.stringify(texts.length === 1 ? texts[0] : texts), 80)}; it must be text or a list of texts.` });
    return [];
  }
  if (tags.length > maxTags) {
    faults.push({ location: '/tags', detail: `${tags.length} tags were given; a batch has at most ${maxTags}.` });
  }
  for (const tag of tags) {
    if (tag.length <= maxTagLength && !tag.includes('\0')) continue;
    const value = `${tag.slice(0, 40)}…`;
    faults.push({ location: '/tags', detail: `the tag ${value} has ${tag.length} characters; a tag has at most ${maxTagLength} and no NUL.`, value });
  }
  return tags;
}

/** Throws one problem for all faults of the request. */
function refuseFaults(fieldFaults: readonly Fault[], fileFaults: readonly Fault[], files: number): void {
  const errors = [...fieldFaults, ...fileFaults].slice(0, maxFaults);
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

function placeOf({ location, row, line, value = '' }: Fault): string {
  const place = [
    row === undefined ? '' : `row ${row}`, line === undefined ? '' : `line ${line}`, value === '' ? '' : `value \`${value}\``,
  ].filter((text) => text !== '');
  return [location.replace(/^file:/, ''), ...place].join(', ');
}
