import type { MediaBackend } from '../media/mediaBackend.ts';
import { mediaErrors } from '../mediaErrors.ts';
import type { RequestedOutput } from '../options/outputs.ts';
import type { Size } from './framing/fitSize.ts';
import { previewFormats } from './previewFormats.ts';

/** Smallest side of a picture that every encoder of AV1 accepts, pixels. */
const smallestAv1 = 64;

/**
 * Rejects outputs that this build of FFmpeg cannot encode. Only AV1 is checked, because an installed ffmpeg often lacks an encoder for it.
 * @param sizes sizes of the previews
 * @throws Problem `encoder-missing`
 */
export async function refuseEncoders(backend: Pick<MediaBackend, 'canEncode' | 'version'>, wanted: ReadonlySet<RequestedOutput>, sizes: readonly Size[]): Promise<void> {
  if (!wanted.has('av1')) return;
  const small = sizes.find(({ width, height }) => Math.min(width, height) < smallestAv1);
  if (small !== undefined) {
    throw mediaErrors.problem('encoder-missing', `The preview has ${small.width} × ${small.height} pixels, and encoders of AV1 need at least ${smallestAv1} on both sides. Set a larger width or height, or remove "av1" from outputs.`);
  }
  if (await backend.canEncode(previewFormats.av1.picture)) return;
  throw mediaErrors.problem('encoder-missing', `FFmpeg ${backend.version} on this server has no encoder for AV1. Remove "av1" from outputs. The operator can install an ffmpeg with libsvtav1 or libaom-av1, or set FFMPEG_PATH=none to use the libraries from npm, which have one.`);
}
