import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cropPieces } from './cropPieces.ts';
import { fitSize } from './framing/fitSize.ts';
import { framingFacts } from './framing/framingFacts.ts';
import type { FrameShape } from './framing/frameShape.ts';
import type { RenderedFile } from './rendering.ts';
import { previewName, renderPreview } from './renderPreview.ts';
import type { Setting, Task } from './renderRequest.ts';

/**
 * Limits on animated pictures: GIF and WebP hardly compress between frames, so larger or smoother animations would be huge.
 */
const animationSide = 480;
const animationFramesPerSecond = 10;

const videos = ['mp4', 'webm'] as const;
const animations = ['gif', 'webp'] as const;

/** Whether a video or an animation is requested. */
export function wantsPreviews(wanted: Setting['wanted']): boolean {
  return [...videos, ...animations].some((format) => wanted.has(format));
}

/** Lists the tasks that make the videos and animations of each shape. */
export function listPreviews(setting: Setting): Task[] {
  return setting.shapes.flatMap((shape) => previewsOf(setting, shape));
}

/**
 * Lists the preview tasks of a shape in order. Animations are made from the first video; if no video is requested, from a temporary
 * mp4.
 */
function previewsOf(setting: Setting, shape: FrameShape): Task[] {
  const { wanted } = setting;
  const formats = videos.filter((format) => wanted.has(format));
  const moving = animations.filter((format) => wanted.has(format));
  const passing = formats.length === 0 && moving.length > 0;
  const video = passing ? 'mp4' : formats[0];
  const tasks = (passing ? (['mp4'] as const) : formats).map((format) => previewTask(setting, shape, format, passing));
  if (video === undefined) return tasks;
  const path = join(setting.request.folder, previewName(shape, video));
  tasks.push(...moving.map((format) => animationTask(setting, shape, format, path)));
  const remove: Task = { weight: 0, run: () => rm(path).then(() => ({ files: [] })) };
  return passing ? [...tasks, remove] : tasks;
}

function previewTask({ request, source, plan, tracks, duration }: Setting, shape: FrameShape, format: 'mp4' | 'webm', passing: boolean): Task {
  return {
    weight: plan.frames * (format === 'webm' ? 3 : 1),
    async run(progress) {
      const { backend, options, folder, pieces, signal } = request;
      const track = tracks.get(shape);
      const preview = await renderPreview({
        backend, source, plan: track === undefined ? plan : cropPieces(plan, shape, track), shape, format, audio: !passing && (options.audio ?? true), pieces, folder, progress, signal,
      });
      const file: RenderedFile = { kind: format, path: preview.path, contentType: `video/${format}`, ...shape.size, duration, ...framingFacts(shape, track) };
      return { files: passing ? [] : [file], pieces: preview.pieces, warnings: preview.warnings };
    },
  };
}

function animationTask({ request, plan, tracks, duration }: Setting, shape: FrameShape, format: 'gif' | 'webp', path: string): Task {
  return {
    weight: plan.frames * 0.5,
    async run() {
      const output = join(request.folder, previewName(shape, format));
      const small = fitSize(shape.size, {}, animationSide);
      const framesPerSecond = Math.min(animationFramesPerSecond, plan.rate.numerator / plan.rate.denominator);
      await request.backend.encodeAnimation({ path, ...small, framesPerSecond, output, signal: request.signal });
      return { files: [{ kind: format, path: output, contentType: `image/${format}`, ...small, duration, ...framingFacts(shape, tracks.get(shape)) }] };
    },
  };
}
