import type { MediaBackend, PictureEncoding } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import type { PlannedPiece } from './previewPlan.ts';

/** Changes with the way pieces are made, so that older ones are not joined with new ones. */
const piecesVersion = 1;

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
    encoded.push(await encodePiece(request, piece));
    frames += piece.frames;
    request.progress(frames);
  }
  return encoded;
}

function encodePiece({ backend, source, encoding, folder, signal }: EncodeRequest, { from, frames, into }: PlannedPiece): Promise<EncodedPiece> {
  const microseconds = (seconds: number): number => Math.round(seconds * 1e6);
  const { codec, width, height, rate } = encoding;
  const identity = [
    piecesVersion, backend.name, backend.version, source.hash, microseconds(from), frames,
    into === undefined ? null : microseconds(into.from), codec, width, height, rate.numerator, rate.denominator,
  ];
  return keepPiece(folder, identity, codec === 'h264' ? '.mp4' : '.webm', (output) => backend.encodePiece({
    path: source.path, info: source.info, encoding, from, frames, ...(into === undefined ? {} : { into }), output, signal,
  }));
}
