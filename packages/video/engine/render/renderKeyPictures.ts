import { join } from 'node:path';
import type { Analysis, Warning } from '../analysis/analysis.ts';
import type { Selection } from '../selection/selection.ts';
import type { Size } from './previewShape.ts';
import type { RenderedFile } from './rendering.ts';
import { bestMoment, takePicture, type PictureSource, type TakenPicture } from './takePictures.ts';

interface KeyPicturesRequest extends PictureSource {
  analysis: Analysis;
  selection: Selection;
  size: Size;
  folder: string;
  poster: boolean;
  keyframes: boolean;
  /** Hears each picture before it is let go. */
  taken: ((picture: TakenPicture, segment: number) => void) | null;
  progress(share: number): void;
}

/** Makes the key frame of each segment, and the poster: that of the segment with the highest score. */
export async function renderKeyPictures(request: KeyPicturesRequest): Promise<{ files: RenderedFile[]; warnings: Warning[] }> {
  const { analysis, size, folder, backend, signal } = request;
  const { segments } = request.selection;
  const best = segments.reduce((found, segment, index) => (segment.score > segments[found]!.score ? index : found), 0);
  const every = request.keyframes || request.taken !== null;
  const files: RenderedFile[] = [];
  const warnings: Warning[] = [];
  for (const [index, segment] of segments.entries()) {
    if (!every && index !== best) continue;
    const picture = await takePicture(request, bestMoment(analysis, segment), size) ?? await takePicture(request, segment.start, size);
    if (picture === null) {
      warnings.push({ code: 'no-key-frame', detail: `No picture of the segment at ${segment.start.toFixed(1)} s can be decoded, so it has no key frame.` });
      continue;
    }
    request.taken?.(picture, index);
    const write = async (kind: 'keyframe' | 'poster', name: string): Promise<void> => {
      const path = join(folder, name);
      await backend.encodeStill({ rgb: picture.rgb, ...size, output: path, signal });
      files.push({ kind, path, contentType: 'image/jpeg', ...size, time: picture.time });
    };
    if (request.keyframes) await write('keyframe', `keyframe-${String(index + 1).padStart(3, '0')}.jpg`);
    if (request.poster && index === best) await write('poster', 'poster.jpg');
    request.progress((index + 1) / segments.length);
  }
  return { files, warnings };
}
