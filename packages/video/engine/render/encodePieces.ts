import { rm, writeFile } from 'node:fs/promises';
import type { MediaBackend, PictureEncoding } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { pieceContainer } from '../media/pieceContainer.ts';
import { findPiece, keepPiece, type EncodedPiece } from './keepPiece.ts';
import type { PlannedPiece } from './previewPlan.ts';

/** Part of the cache key. Increase it when the way pieces are encoded changes, so that old and new pieces are never joined. */
const piecesVersion = 1;

export interface Source {
  path: string;
  /** SHA-256 of the file, hex; part of the cache key of the pieces. */
  hash: string;
  info: MediaInfo;
}

interface EncodeRequest {
  backend: MediaBackend;
  source: Source;
  pieces: readonly PlannedPiece[];
  encoding: PictureEncoding;
  /** Folder in which pieces are kept for later runs. */
  folder: string;
  /** Receives the number of encoded frames. */
  progress(frames: number): void;
  signal: AbortSignal;
}

/**
 * Encodes the pieces that are not in the folder yet. Each piece is written atomically: an interrupted run leaves no partial
 * piece.
 */
export async function encodePieces(request: EncodeRequest): Promise<EncodedPiece[]> {
  const encoded: EncodedPiece[] = [];
  let frames = 0;
  for (const piece of request.pieces) {
    request.signal.throwIfAborted();
    encoded.push(await encodePiece(request, piece));
    frames += piece.frames;
    request.progress(frames);
  }
  return encoded;
}

/** Returns the pieces that are already in the folder. */
export async function findPieces(request: Omit<EncodeRequest, 'progress' | 'signal'>): Promise<EncodedPiece[]> {
  const found: EncodedPiece[] = [];
  for (const piece of request.pieces) {
    const held = await findPiece(request.folder, identityOf(request, piece), `.${pieceContainer[request.encoding.codec]}`);
    if (held !== null) found.push(held);
  }
  return found;
}

function encodePiece(request: EncodeRequest, piece: PlannedPiece): Promise<EncodedPiece> {
  const { backend, source, encoding, signal } = request;
  const { from, shown, frames, crop, into, captions } = piece;
  return keepPiece(request.folder, identityOf(request, piece), `.${pieceContainer[encoding.codec]}`, async (output) => {
    const file = `${output}.ass`;
    if (captions !== undefined) await writeFile(file, captions);
    try {
      await backend.encodePiece({
        path: source.path, info: source.info, encoding, from, frames, output, signal,
        ...(shown === undefined ? {} : { shown }), ...(crop === undefined ? {} : { crop }), ...(into === undefined ? {} : { into }), ...(captions === undefined ? {} : { captions: file }),
      });
      return true;
    } finally {
      await rm(file, { force: true });
    }
  });
}

function identityOf({ backend, source, encoding }: Pick<EncodeRequest, 'backend' | 'source' | 'encoding'>, { from, frames, crop, into, captions }: PlannedPiece): readonly unknown[] {
  const microseconds = (seconds: number): number => Math.round(seconds * 1e6);
  const { codec, width, height, rate, scaled } = encoding;
  return [
    piecesVersion, backend.name, backend.version, source.hash, microseconds(from), frames,
    into === undefined ? null : microseconds(into.from), codec, width, height, rate.numerator, rate.denominator,
    ...(scaled === undefined ? [] : [scaled.width, scaled.height, crop ?? null, into?.crop ?? null]),
    ...(captions === undefined ? [] : [captions]),
  ];
}
