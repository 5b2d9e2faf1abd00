import { join } from 'node:path';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Analysis, Warning } from '../analysis/analysis.ts';
import { describeEdl } from './editing/describeEdl.ts';
import { describeFcpxml } from './editing/describeFcpxml.ts';
import { describeOtio } from './editing/describeOtio.ts';
import { buildEditList, editRate, type EditList } from './editing/editList.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import type { RequestedOutput } from '../options/outputs.ts';
import type { Selection } from '../selection/selection.ts';
import type { Cue } from '../selection/subtitles.ts';
import type { Source } from './encodePieces.ts';
import type { EncodedPiece } from './keepPiece.ts';
import { planPreview, type PreviewPlan } from './previewPlan.ts';
import { captionsVtt, chaptersVtt } from './previewText.ts';
import { chooseRate, fitSize, type Size } from './previewShape.ts';
import type { RenderedFile, Rendering } from './rendering.ts';
import { renderKeyPictures } from './renderKeyPictures.ts';
import { renderPreview } from './renderPreview.ts';
import { renderReport, reportPictureSize } from './renderReport.ts';
import { renderStoryboard } from './renderStoryboard.ts';
import { splitProgress } from './splitProgress.ts';
import { shrink, type TakenPicture } from './takePictures.ts';
import { curveJson, shotsJson } from './tellNumbers.ts';

/** Outputs if the options name none. */
const defaultOutputs: readonly RequestedOutput[] = ['mp4', 'poster', 'storyboard'];

/**
 * Limits on animated pictures: GIF and WebP hardly compress between frames, so larger or smoother animations would be huge.
 */
const animationSide = 480;
const animationFramesPerSecond = 10;

export type RenderOptions = Pick<SummaryOptions, 'outputs' | 'width' | 'height' | 'fps' | 'audio' | 'crossfade'>;

interface RenderRequest {
  backend: MediaBackend;
  /** Path of the source, and its SHA-256 in hex. */
  source: { path: string; hash: string };
  analysis: Analysis;
  selection: Selection;
  options: RenderOptions;
  /** Subtitles of the video, for captions. */
  cues: readonly Cue[];
  /** An empty folder for the outputs. Temporary files in it are removed. */
  folder: string;
  /** Folder of encoded pieces, which later runs reuse. */
  pieces: string;
  /** Name of the media in the report and in edit lists. */
  title: string;
  /** Also renders report.html. */
  report: boolean;
  /** Receives the progress, 0–1; never decreases. */
  progress(share: number): void;
  signal: AbortSignal;
}

/** One task of a rendering, with its duration relative to encoding one frame of H.264. */
interface Task {
  weight: number;
  run(progress: (share: number) => void, done: Rendering): Promise<{ files: RenderedFile[]; pieces?: readonly EncodedPiece[]; warnings?: readonly Warning[] }>;
}

interface Setting {
  request: RenderRequest;
  source: Source;
  wanted: ReadonlySet<RequestedOutput>;
  plan: PreviewPlan;
  size: Size;
  duration: number;
  /** Small pictures of the segments for the report, filled when the key pictures are taken. */
  small: Map<number, TakenPicture>;
}

/**
 * Renders the files that the options request.
 *
 * @example
 * const { files } = await renderOutputs({ backend, source, analysis, selection, options: { outputs: ['mp4'] }, folder, pieces, progress, signal });
 *
 * @throws Problem of `mediaErrors` if the source cannot be decoded; the signal's reason if the signal is aborted
 */
export async function renderOutputs(request: RenderRequest): Promise<Rendering> {
  const { analysis, selection, options } = request;
  const { info } = analysis;
  await Promise.all([request.folder, request.pieces].map((folder) => mkdir(folder, { recursive: true })));
  const rate = chooseRate(info.video, options.fps);
  const plan = planPreview({ segments: selection.segments, frameTimes: analysis.frameTimes, rate, crossfade: options.crossfade ?? 0 });
  const seconds = (frames: number): number => (frames * rate.denominator) / rate.numerator;
  const tasks = listTasks({
    request, plan,
    source: { ...request.source, info },
    wanted: new Set(options.outputs ?? defaultOutputs),
    size: fitSize(info.video, { width: options.width, height: options.height }),
    duration: seconds(plan.frames),
    small: new Map(),
  });
  const tellers = splitProgress(tasks.map(({ weight }) => weight), request.progress);
  const rendering = {
    files: [] as RenderedFile[],
    pieces: [] as EncodedPiece[],
    parts: plan.parts.map(({ at, frames }) => ({ at: seconds(at), duration: seconds(frames) })),
    warnings: [] as Warning[],
  };
  for (const [index, task] of tasks.entries()) {
    request.signal.throwIfAborted();
    const tell = tellers[index]!;
    const { files, pieces = [], warnings = [] } = await task.run(tell, rendering);
    rendering.files.push(...files);
    rendering.pieces.push(...pieces.filter(({ lasting }) => lasting));
    rendering.warnings.push(...warnings);
    tell(1);
  }
  return rendering;
}

function listTasks(setting: Setting): Task[] {
  const { request, wanted } = setting;
  return [
    ...listPreviews(setting),
    ...(wanted.has('storyboard') ? [storyboardTask(setting)] : []),
    ...(wantsPictures(wanted) || request.report ? [keyPicturesTask(setting)] : []),
    ...(Object.keys(texts) as (keyof typeof texts)[]).filter((kind) => wanted.has(kind)).map((kind) => writeTask(setting, kind)),
    ...(request.report ? [reportTask(setting)] : []),
  ];
}

/**
 * Lists the preview tasks in order. Animations are made from the first video; if no video is requested, from a temporary mp4.
 */
function listPreviews(setting: Setting): Task[] {
  const { wanted } = setting;
  const formats = (['mp4', 'webm'] as const).filter((format) => wanted.has(format));
  const animations = (['gif', 'webp'] as const).filter((format) => wanted.has(format));
  const passing = formats.length === 0 && animations.length > 0;
  const video = passing ? 'mp4' : formats[0];
  const tasks = (passing ? (['mp4'] as const) : formats).map((format) => previewTask(setting, format, passing));
  if (video === undefined) return tasks;
  const path = join(setting.request.folder, `preview.${video}`);
  tasks.push(...animations.map((format) => animationTask(setting, format, path)));
  const remove: Task = { weight: 0, run: () => rm(path).then(() => ({ files: [] })) };
  return passing ? [...tasks, remove] : tasks;
}

function previewTask({ request, source, plan, size, duration }: Setting, format: 'mp4' | 'webm', passing: boolean): Task {
  return {
    weight: plan.frames * (format === 'webm' ? 3 : 1),
    async run(progress) {
      const { backend, options, folder, pieces, signal } = request;
      const preview = await renderPreview({
        backend, source, plan, size, format, audio: !passing && (options.audio ?? true), pieces, folder, progress, signal,
      });
      const file: RenderedFile = { kind: format, path: preview.path, contentType: `video/${format}`, ...size, duration };
      return { files: passing ? [] : [file], pieces: preview.pieces, warnings: preview.warnings };
    },
  };
}

function animationTask({ request, plan, size, duration }: Setting, format: 'gif' | 'webp', path: string): Task {
  return {
    weight: plan.frames * 0.5,
    async run() {
      const output = join(request.folder, `preview.${format}`);
      const small = fitSize(size, {}, animationSide);
      const framesPerSecond = Math.min(animationFramesPerSecond, plan.rate.numerator / plan.rate.denominator);
      await request.backend.encodeAnimation({ path, ...small, framesPerSecond, output, signal: request.signal });
      return { files: [{ kind: format, path: output, contentType: `image/${format}`, ...small, duration }] };
    },
  };
}

function storyboardTask({ request, source }: Setting): Task {
  const { backend, analysis: { transitions }, folder, pieces, signal } = request;
  return { weight: 100, run: (progress) => renderStoryboard({ backend, source, transitions, folder, pieces, progress, signal }) };
}

/** Number of pictures among which a caller may choose the poster. */
const posterCandidates = 3;

function wantsPictures(wanted: Setting['wanted']): boolean {
  return wanted.has('poster') || wanted.has('poster_candidates') || wanted.has('keyframes');
}

function keyPicturesTask({ request, source, wanted, size, small }: Setting): Task {
  const { backend, analysis, selection, folder, pieces, signal } = request;
  const reportSize = reportPictureSize(source);
  return {
    weight: 20 * selection.segments.length,
    run: (progress) => renderKeyPictures({
      backend, source, analysis, selection, folder, pieces, progress, signal,
      size: wantsPictures(wanted) ? size : reportSize,
      poster: wanted.has('poster'),
      candidates: wanted.has('poster_candidates') ? posterCandidates : 0,
      keyframes: wanted.has('keyframes'),
      taken: request.report ? (picture, segment) => small.set(segment, shrink(picture, reportSize)) : null,
    }),
  };
}

function reportTask({ request, source, small }: Setting): Task {
  const { backend, analysis, selection, folder, signal, title } = request;
  return {
    weight: 50,
    run: async (_, done) => ({ files: [await renderReport({ backend, source, analysis, selection, folder, signal, title, small, done })] }),
  };
}

const noCaptions: Warning = { code: 'captions-empty', detail: 'The captions are empty, because the video has no subtitles. Set subtitles_url (vouch summarize: --subtitles).' };

/** The figure is that of the composed clips of bench/video/cuts.ts, with a tolerance of one frame. */
const uncertainShots: Warning = {
  code: 'shots-uncertain',
  detail: 'The shots are uncertain: the tier fast finds them from key frames and packet sizes, so about a third of the cuts is missing, wrong or some frames off. Set analysis to "balanced" for exact cuts.',
};

/** Outputs that are text: their file, media type and content. */
const texts: Readonly<Record<'shots' | 'curve' | 'captions' | 'chapters' | 'otio' | 'edl' | 'fcpxml', { name: string; contentType: string; write(request: RenderRequest, plan: PreviewPlan): string }>> = {
  shots: { name: 'shots.json', contentType: 'application/json', write: ({ analysis }) => shotsJson(analysis) },
  curve: { name: 'curve.json', contentType: 'application/json', write: ({ selection }) => curveJson(selection.curve) },
  captions: { name: 'captions.vtt', contentType: 'text/vtt', write: ({ cues }, plan) => captionsVtt(plan, cues) },
  chapters: { name: 'chapters.vtt', contentType: 'text/vtt', write: ({ selection }, plan) => chaptersVtt(plan, selection.segments) },
  otio: { name: 'preview.otio', contentType: 'application/json', write: (request) => describeOtio(editListOf(request)) },
  edl: { name: 'preview.edl', contentType: 'text/plain; charset=utf-8', write: (request) => describeEdl(editListOf(request)) },
  fcpxml: { name: 'preview.fcpxml', contentType: 'application/xml', write: (request) => describeFcpxml(editListOf(request)) },
};

/** Planned at the rate of the source, because an editing program cuts the source and not the preview. */
function editListOf({ title, analysis: { info, frameTimes }, selection, options }: RenderRequest): EditList {
  const { parts } = planPreview({ segments: selection.segments, frameTimes, rate: editRate(info.video), crossfade: options.crossfade ?? 0 });
  return buildEditList({ title, info, selection, parts });
}

function writeTask({ request, plan }: Setting, kind: keyof typeof texts): Task {
  const { name, contentType, write } = texts[kind];
  return {
    weight: 0,
    async run() {
      const path = join(request.folder, name);
      await writeFile(path, write(request, plan));
      return { files: [{ kind, path, contentType }], warnings: warningsOf(kind, request) };
    },
  };
}

function warningsOf(kind: keyof typeof texts, { cues, analysis }: RenderRequest): readonly Warning[] {
  if (kind === 'captions' && cues.length === 0) return [noCaptions];
  return kind === 'shots' && analysis.tier === 'fast' ? [uncertainShots] : [];
}
