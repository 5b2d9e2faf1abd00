import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TableScanner, type ScanResult } from '../scan/tableScanner.ts';
import type { Conversion, ConversionResult } from './convertFile.messages.ts';

/**
 * Checks one uploaded file and writes it as Parquet. Runs in a child process of `Converters`.
 * @param input bytes of the file as uploaded, gzip or plain
 * @returns the result; faults of the file and a full disk are results, not errors
 * @throws Error of `input` or of DuckDB
 */
export async function convertTable(request: Omit<Conversion, 'contentPath'>, input: Readable): Promise<ConversionResult> {
  const scannedPath = join(request.folder, 'scanned');
  try {
    const scan = await scanInput(request, input, scannedPath);
    if (scan.outcome !== 'scanned') return scan;
    // Imported late, because most faults are found without DuckDB, which takes 60 MB.
    const { writeParquet } = await import('./writeParquet.ts');
    const { kind, rows, bytes, escaped } = scan;
    const temporaryFolder = join(request.folder, 'spill');
    mkdirSync(temporaryFolder);
    await writeParquet({ kind, escaped, scannedPath, parquetPath: request.parquetPath, temporaryFolder });
    return { outcome: 'converted', kind, rows, bytes };
  } catch (error) {
    if (isFullDisk(error)) return { outcome: 'storage-full' };
    throw error;
  } finally {
    rmSync(scannedPath, { force: true });
  }
}

async function scanInput(request: Omit<Conversion, 'contentPath'>, input: Readable, scannedPath: string): Promise<ScanResult> {
  const file = openSync(scannedPath, 'wx', 0o600);
  try {
    const scanner = new TableScanner(request.fileName, request, (block) => writeAll(file, block));
    try {
      for await (const chunk of await decompress(input)) {
        scanner.push(chunk as Buffer);
        if (scanner.isDone) break;
      }
    } catch (error) {
      const why = damagedGzip(error);
      if (why === null) throw error;
      return { outcome: 'faults', faults: [{ location: `file:${request.fileName}`, detail: why }] };
    }
    return scanner.end();
  } finally {
    closeSync(file);
  }
}

/** Decompresses the input if its first two bytes are the gzip signature, regardless of file name and media type. */
async function decompress(input: Readable): Promise<Readable> {
  const start = await firstBytes(input, 4);
  if (start.length > 0) input.unshift(start);
  if (start[0] !== 0x1f || start[1] !== 0x8b) return input;
  const gunzip = createGunzip({ chunkSize: 65_536 });
  input.pipe(gunzip);
  return gunzip;
}

async function firstBytes(input: Readable, count: number): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < count) {
    const chunk = input.read() as Buffer | null;
    if (chunk !== null) start = Buffer.concat([start, chunk]);
    else if (input.readableEnded) break;
    else await new Promise((resolve) => input.once('readable', resolve).once('end', resolve));
  }
  return start;
}

function writeAll(file: number, block: Uint8Array): void {
  for (let written = 0; written < block.length;) written += writeSync(file, block, written);
}

function damagedGzip(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return null;
  const why = error instanceof Error ? error.message : code;
  return `the file begins as gzip, but cannot be decompressed (${why}); it is damaged or was cut off`;
}

function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device|disk quota exceeded/i.test(error.message);
}
