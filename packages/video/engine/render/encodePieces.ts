import { createHash } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaBackend, PictureEncoding } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import type { PlannedPiece } from './previewPlan.ts';

/** Changes with the way pieces are made, so that older ones are not joined with new ones. */
const piecesVersion = 1;

export interface EncodedPiece {
  /** Same source, place, length, encoding and encoder: same key. */
  key: string;
  path: string;
  /** It was there from an earlier rendering. */
  reused: boolean;
}

export interface Source {
  path: string;
  /** SHA-256 of the file, hex: what the pieces are kept under. */
  hash: string;
  info: MediaInfo;
}

interface EncodeRequest {
  backend: MediaBackend;
  source: Source;
  pieces: readonly PlannedPiece[];
  encoding: PictureEncoding;
  /** Where pieces are kept from run to run. */
  folder: string;
  /** Frames that are done. */
  progress(frames: number): void;
  signal: AbortSignal;
}

/** Encodes each piece that the folder does not hold yet; a piece appears there whole or not at all. */
export async function encodePieces(request: EncodeRequest): Promise<EncodedPiece[]> {
  const encoded: EncodedPiece[] = [];
  let frames = 0;
  for (const piece of request.pieces) {
    request.signal.throwIfAborted();
    const key = pieceKey(request, piece);
    const path = join(request.folder, `${key}${request.encoding.codec === 'h264' ? '.mp4' : '.webm'}`);
    const reused = await hasBytes(path);
    if (!reused) await encodeWhole(request, piece, path);
    encoded.push({ key, path, reused });
    frames += piece.frames;
    request.progress(frames);
  }
  return encoded;
}

async function encodeWhole({ backend, source, encoding, signal }: EncodeRequest, piece: PlannedPiece, path: string): Promise<void> {
  // The encoder knows the container by the name's end.
  const partial = path.replace(/(\.\w+)$/, '.partial$1');
  try {
    await backend.encodePiece({
      path: source.path,
      info: source.info,
      encoding,
      from: piece.from,
      frames: piece.frames,
      ...(piece.into === undefined ? {} : { into: piece.into }),
      output: partial,
      signal,
    });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function pieceKey({ backend, source, encoding }: EncodeRequest, { from, frames, into }: PlannedPiece): string {
  const microseconds = (seconds: number): number => Math.round(seconds * 1e6);
  const { codec, width, height, rate } = encoding;
  const identity = [
    piecesVersion, backend.name, backend.version, source.hash, microseconds(from), frames,
    into === undefined ? null : microseconds(into.from), codec, width, height, rate.numerator, rate.denominator,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

async function hasBytes(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.isFile() && found.size > 0;
}
