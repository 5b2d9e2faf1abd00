import type { Fault } from '@vouch/platform/errors/problem';
import type { TableKind } from '../scan/columns.ts';

/** Request to the child process to convert one uploaded file. */
export interface Conversion {
  /** Path of the bytes as uploaded. */
  contentPath: string;
  /** File name for the locations of faults. */
  fileName: string;
  /** Empty folder for the files of this conversion. */
  folder: string;
  /** Path of the Parquet file to write. */
  parquetPath: string;
  maxBytes: number;
  maxRows: number;
}

/** Result of the child process; `bytes` is the size of the CSV after decompression. */
export type ConversionResult =
  | { outcome: 'converted'; kind: TableKind; rows: number; bytes: number }
  | { outcome: 'faults'; faults: Fault[] }
  | { outcome: 'too-large'; detail: string }
  | { outcome: 'storage-full' };

// Messages are validated without the schema library, because loading the library would take half of the child's 0.6 s.

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** @throws Error if the message does not have this form */
export function parseConversion(message: unknown): Conversion {
  if (isRecord(message)) {
    const { contentPath, fileName, folder, parquetPath, maxBytes, maxRows } = message;
    const texts = [contentPath, fileName, folder, parquetPath].every((text) => typeof text === 'string');
    if (texts && isCount(maxBytes) && isCount(maxRows)) return message as unknown as Conversion;
  }
  throw new Error('the message is not a conversion request');
}

/** @throws Error if the message does not have this form */
export function parseConversionResult(message: unknown): ConversionResult {
  if (isRecord(message)) {
    const { outcome, kind, rows, bytes, faults, detail } = message;
    const fits = outcome === 'converted' ? (kind === 'entity' || kind === 'interaction') && isCount(rows) && isCount(bytes)
      : outcome === 'faults' ? Array.isArray(faults) && faults.every((fault) => isRecord(fault) && typeof fault['location'] === 'string')
      : outcome === 'too-large' ? typeof detail === 'string'
      : outcome === 'storage-full';
    if (fits) return message as unknown as ConversionResult;
  }
  throw new Error('the message is not the result of a conversion');
}
