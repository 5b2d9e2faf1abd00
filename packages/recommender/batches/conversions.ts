import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Fault, Problem } from '@vouch/platform/errors/problem';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { smallBytes, type Converters } from './parquet/converters.ts';
import type { ConversionResult } from './parquet/convertFile.messages.ts';
import { fileTooLarge, type ReceivedFile } from './receiveFile.ts';
import type { TableKind } from './scan/columns.ts';
import type { UploadGate } from './uploadGate.ts';

export interface UploadLimits {
  maxBytes: number;
  maxRows: number;
}

/** A valid uploaded file that was written as Parquet to the scratch folder. */
export interface ConvertedFile {
  kind: TableKind;
  rows: number;
  bytes: number;
  parquetPath: string;
}

export interface ConversionContext {
  limits: UploadLimits;
  gate: UploadGate;
  converters: Converters;
  /** Organization that uploaded the files. */
  owner: string;
  signal: AbortSignal;
}

/** Converts the files of one request, one after the other, while more files arrive. */
export class Conversions {
  readonly files: ConvertedFile[] = [];
  readonly faults: Fault[] = [];
  private readonly context: ConversionContext;
  private last: Promise<void> = Promise.resolve();
  private waitingBytes = 0;

  constructor(context: ConversionContext) {
    this.context = context;
  }

  add(file: ReceivedFile): void {
    this.waitingBytes += file.bytes;
    this.last = this.last.then(() => this.convert(file));
    // `room` or `done` throws the error, whichever is called next.
    this.last.catch(() => {});
  }

  /**
   * Resolves when another file may arrive, so that the files waiting on the disk are limited to about one file of maximum
   * size.
   * @throws Problem of a file that could not be read
   */
  async room(): Promise<void> {
    if (this.waitingBytes >= this.context.limits.maxBytes) await this.last;
  }

  /**
   * Resolves when every file is converted.
   * @throws Problem of the first file that could not be read
   */
  async done(): Promise<void> {
    await this.last;
  }

  /** Resolves when the current conversion has ended, after the signal was aborted. */
  async stopped(): Promise<void> {
    await this.last.catch(() => {});
  }

  private async convert(file: ReceivedFile): Promise<void> {
    const { gate, owner, signal } = this.context;
    const size = file.bytes <= smallBytes ? 'small' : 'large';
    const result = await gate.pass({ owner, size }, () => this.read(file), signal);
    this.waitingBytes -= file.bytes;
    if ('faults' in result) this.faults.push(...result.faults);
    else this.files.push(result);
  }

  private async read({ fileName, path, bytes: contentBytes }: ReceivedFile): Promise<ConvertedFile | { faults: Fault[] }> {
    const { limits, converters, owner, signal } = this.context;
    const folder = dirname(path);
    const parquetPath = join(folder, 'parquet');
    try {
      return judge(await converters.convert({ owner, contentPath: path, contentBytes, fileName, folder, parquetPath, ...limits, signal }), fileName, parquetPath);
    } catch (error) {
      throw error instanceof ChildFailed ? childFailed(error, fileName) : error;
    } finally {
      await rm(path, { force: true });
    }
  }
}

function judge(result: ConversionResult, fileName: string, parquetPath: string): ConvertedFile | { faults: Fault[] } {
  switch (result.outcome) {
    case 'converted': return { kind: result.kind, rows: result.rows, bytes: result.bytes, parquetPath };
    case 'faults': return { faults: result.faults };
    case 'too-large': throw fileTooLarge(fileName, result.detail);
    case 'storage-full':
      throw platformErrors.problem('storage-full', `The disk was full while ${fileName} was read; nothing was stored. Free space, then send the request again.`);
  }
}

function childFailed(failure: ChildFailed, fileName: string): Problem {
  if (failure.end.kind === 'disk') {
    return fileTooLarge(fileName, 'grew beyond what a file of the allowed size can become');
  }
  return recommenderErrors.problem('upload-interrupted', `The file ${fileName} could not be stored: ${describe(failure)}. Nothing of the request was stored. Send the request again.`, { cause: failure });
}

function describe(failure: ChildFailed): string {
  return failure.message.split('\n', 1)[0]?.slice(0, 200) ?? '';
}
