import type { AnimationRequest, ClipRequest, PieceRequest, SoundEncodeRequest, StillRequest } from '../mediaBackend.ts';
import type { MediaWork } from '../mediaFault.ts';
import { runAv, type AvTools } from './askAv.ts';
import { knownSource, sourceOf } from './sources.ts';

/** Encodes one piece, with a crossfade if `into` is given. */
export async function encodePiece(tools: AvTools, request: PieceRequest): Promise<void> {
  const { path, info, signal, encoding, from, shown, crop = null, frames, into = null, captions = null, output } = request;
  await runAv(tools, { kind: 'piece', source: knownSource(tools, path, info), encoding, from, shown, crop, frames, into, captions, output }, {
    path, signal, failing: `cannot be decoded at ${from.toFixed(3)} s`, code: 'decoder-failed',
  });
}

/** Encodes raw samples as AAC or Opus. */
export async function encodeSound(tools: AvTools, { signal, ...request }: SoundEncodeRequest): Promise<void> {
  await runAv(tools, { kind: 'encode-sound', request }, encoding(request.output, signal));
}

/** Encodes one packed RGB picture as JPEG, PNG or WebP. */
export async function encodeStill(tools: AvTools, { signal, rgb, width, height, output }: StillRequest): Promise<void> {
  await runAv(tools, { kind: 'still', width, height, output }, encoding(output, signal), [rgb]);
}

/** Encodes an animated picture that repeats forever, from a finished preview. */
export async function encodeAnimation(tools: AvTools, { signal, path, ...request }: AnimationRequest): Promise<void> {
  const source = sourceOf(tools, path, path.endsWith('.webm') ? 'webm' : 'mp4');
  await runAv(tools, { kind: 'animation', source, request }, encoding(request.output, signal));
}

/** Encodes generated pictures and samples as a complete clip. */
export async function encodeClip(tools: AvTools, { signal, pictures, ...request }: ClipRequest): Promise<void> {
  await runAv(tools, { kind: 'clip', threads: tools.limits.threads, request }, encoding(request.output, signal), pictures);
}

function encoding(path: string, signal: AbortSignal): MediaWork {
  return { path, signal, failing: 'cannot be encoded', code: 'decoder-failed' };
}
