import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { captionPieces } from './captionPieces.ts';
import { cropPieces } from './cropPieces.ts';
import { fitSize } from './framing/fitSize.ts';
import { framingFacts } from './framing/framingFacts.ts';
import type { FrameShape } from './framing/frameShape.ts';
import type { RenderedFile } from './rendering.ts';
import { previewFormats, type VideoFormat } from './previewFormats.ts';
import { previewName, renderPreview } from './renderPreview.ts';
import type { Setting, Task } from './renderRequest.ts';

/**
 * Limits on animated pictures: GIF and WebP hardly compress between frames, so larger or smoother animations would be huge.
 */
const animationSide = 480;
const animationFramesPerSecond = 10;

const videos = ['mp4', 'webm', 'av1'] as const satisfies readonly VideoFormat[];
const animations = ['gif', 'webp'] as const;

/** Whether a video or an animation is requested. */
export function wantsPreviews(wanted: Setting['wanted']): boolean {
  return [...videos, 'hls' as const, ...animations].some((format) => wanted.has(format));
}

/** Lists the tasks that make the videos and animations of each shape. */
export function listPreviews(setting: Setting): Task[] {
  return setting.shapes.flatMap((shape) => previewsOf(setting, shape));
}

/**
 * Lists the preview tasks of a shape in order. HLS is made from the mp4, and animations are made from the first video; if this video is not requested,
 * from a temporary mp4.
 */
function previewsOf(setting: Setting, shape: FrameShape): Task[] {
  const { wanted } = setting;
  const requested = videos.filter((format) => wanted.has(format));
  const moving = animations.filter((format) => wanted.has(format));
  const streamed = wanted.has('hls');
  const passing = !wanted.has('mp4') && (streamed || (requested.length === 0 && moving.length > 0));
  const formats = passing ? ['mp4' as const, ...requested] : requested;
  const [first] = formats;
  if (first === undefined) return [];
  const path = join(setting.request.folder, previewName(shape, previewFormats[first].ending));
  const remove: Task = { weight: 0, run: () => rm(path).then(() => ({ files: [] })) };
  return [
    ...formats.map((format) => previewTask(setting, shape, format, { passing: passing && format === first, silent: passing && !streamed })),
    ...(streamed ? [hlsTask(setting, shape, path)] : []),
    ...moving.map((format) => animationTask(setting, shape, format, path)),
    ...(passing ? [remove] : []),
  ];
}

interface Passing {
  /** Whether the video is removed after other outputs have been made from it. */
  passing: boolean;
  /** Whether the video needs no sound, because only animations are made from it. */
  silent: boolean;
}

function previewTask({ request, source, plan, tracks, duration }: Setting, shape: FrameShape, format: VideoFormat, { passing, silent }: Passing): Task {
  const { container, weight } = previewFormats[format];
  return {
    weight: plan.frames * weight,
    async run(progress) {
      const { backend, options, cues, folder, pieces, signal } = request;
      const track = tracks.get(shape);
      const framed = track === undefined ? plan : cropPieces(plan, shape, track);
      const preview = await renderPreview({
        backend, source, plan: options.burn_captions === true ? captionPieces(framed, cues, shape.size) : framed, shape, format, audio: !silent && (options.audio ?? true), pieces, folder, progress, signal,
      });
      const file: RenderedFile = { kind: format, path: preview.path, contentType: `video/${container}`, ...shape.size, duration, ...framingFacts(shape, track) };
      return { files: passing ? [] : [file], pieces: preview.pieces, warnings: preview.warnings };
    },
  };
}

function hlsTask({ request: { folder }, plan, tracks, duration }: Setting, shape: FrameShape, preview: string): Task {
  return {
    weight: plan.frames * 0.02,
    async run() {
      const [playlist, media] = [join(folder, previewName(shape, '.m3u8')), join(folder, previewName(shape, '.hls.mp4'))];
      const { writeHls } = await import('./writeHls.ts');
      await writeHls({ preview, media, playlist });
      const facts = { ...shape.size, duration, ...framingFacts(shape, tracks.get(shape)) };
      return { files: [{ kind: 'hls', path: playlist, contentType: 'application/vnd.apple.mpegurl', ...facts }, { kind: 'hls-media', path: media, contentType: 'video/mp4', ...facts }] };
    },
  };
}

function animationTask({ request, plan, tracks, duration }: Setting, shape: FrameShape, format: 'gif' | 'webp', path: string): Task {
  return {
    weight: plan.frames * 0.5,
    async run() {
      const output = join(request.folder, previewName(shape, `.${format}`));
      const small = fitSize(shape.size, {}, animationSide);
      const framesPerSecond = Math.min(animationFramesPerSecond, plan.rate.numerator / plan.rate.denominator);
      await request.backend.encodeAnimation({ path, ...small, framesPerSecond, output, signal: request.signal });
      return { files: [{ kind: format, path: output, contentType: `image/${format}`, ...small, duration, ...framingFacts(shape, tracks.get(shape)) }] };
    },
  };
}
