import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { reportsShots, type Warning } from '../analysis/analysis.ts';
import { loadFaceWeights } from '../faces/loadFaceWeights.ts';
import { describeEdl } from './editing/describeEdl.ts';
import { describeFcpxml } from './editing/describeFcpxml.ts';
import { describeOtio } from './editing/describeOtio.ts';
import { buildEditList, editRate, type EditList } from './editing/editList.ts';
import type { RequestedOutput } from '../options/outputs.ts';
import type { EncodedPiece } from './keepPiece.ts';
import { planPreview, type PreviewPlan } from './previewPlan.ts';
import { listPreviews, wantsPreviews } from './previewTasks.ts';
import type { RenderRequest, Setting, Task } from './renderRequest.ts';
import { captionsVtt, chaptersVtt, previewCues } from './previewText.ts';
import { posterCandidates } from './choosePosters.ts';
import { chooseRate } from './chooseRate.ts';
import { fitSize } from './framing/fitSize.ts';
import { followMotion } from './framing/followMotion.ts';
import { listShapes } from './framing/frameShape.ts';
import { measureSaliency } from './framing/measureSaliency.ts';
import { proveCaptions } from './proveCaptions.ts';
import { refuseEncoders } from './refuseEncoders.ts';
import type { RenderedFile, Rendering } from './rendering.ts';
import { renderKeyPictures } from './renderKeyPictures.ts';
import { renderReport, reportPictureSize } from './renderReport.ts';
import { renderStoryboard } from './renderStoryboard.ts';
import { splitProgress } from './splitProgress.ts';
import { shrink } from './takePictures.ts';
import { curveJson, noShots, shotsJson } from './tellNumbers.ts';

/** Outputs if the options name none. */
const defaultOutputs: readonly RequestedOutput[] = ['mp4', 'poster', 'storyboard'];

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
  const wanted = new Set(options.outputs ?? defaultOutputs);
  const shapes = listShapes(info.video, options);
  // A run that reuses the facts of the media does not call `Engine.probe`, which refuses such outputs before the analysis.
  await refuseEncoders(request.backend, wanted, shapes.map(({ size }) => size));
  const tasks = listTasks({
    request, plan, wanted, shapes,
    source: { ...request.source, info },
    tracks: new Map(),
    // With aspect ratios, width and height are sides of the previews.
    size: fitSize(info.video, options.aspect_ratios === undefined ? { width: options.width, height: options.height } : {}),
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
  if (options.burn_captions === true && wantsPreviews(wanted)) rendering.warnings.push(...await checkCaptions(request, plan));
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

/** Proves that the server can draw captions. Returns a warning instead if the segments have no subtitles. */
async function checkCaptions({ backend, analysis: { info }, source, cues, folder, signal }: RenderRequest, plan: PreviewPlan): Promise<readonly Warning[]> {
  if (previewCues(plan, cues).length === 0) return [nothingToDraw];
  await proveCaptions({ backend, source: { ...source, info }, folder, signal }, plan.pieces[0]!.from);
  return [];
}

function listTasks(setting: Setting): Task[] {
  const { request, wanted } = setting;
  return [
    ...(setting.shapes.some(({ mode }) => mode === 'crop') && (wantsPreviews(wanted) || wanted.has('poster')) ? [followTask(setting)] : []),
    ...listPreviews(setting),
    ...(wanted.has('storyboard') ? [storyboardTask(setting)] : []),
    ...(wantsPictures(wanted) || request.report !== null ? [keyPicturesTask(setting)] : []),
    ...(Object.keys(texts) as (keyof typeof texts)[]).filter((kind) => wanted.has(kind)).map((kind) => writeTask(setting, kind)),
    ...(request.report === null ? [] : [reportTask(setting, request.report.warnings)]),
  ];
}

/** Plans the positions of the crops. The segments are decoded once for all shapes. */
function followTask({ request, source, shapes, tracks, plan }: Setting): Task {
  const { backend, analysis, selection: { segments }, signal } = request;
  return {
    weight: plan.frames * 0.4,
    async run(progress) {
      const salient = await measureSaliency({ backend, path: source.path, info: source.info, signal, analysis, segments, faceWeights: await loadFaceWeights(), progress });
      for (const shape of shapes) if (shape.mode === 'crop') tracks.set(shape, followMotion(salient, shape));
      return { files: [] };
    },
  };
}

function storyboardTask({ request, source }: Setting): Task {
  const { backend, analysis: { transitions }, folder, pieces, signal } = request;
  return { weight: 100, run: (progress) => renderStoryboard({ backend, source, transitions, folder, pieces, progress, signal }) };
}

function wantsPictures(wanted: Setting['wanted']): boolean {
  return wantsPosters(wanted) || wanted.has('keyframes');
}

function wantsPosters(wanted: Setting['wanted']): boolean {
  return wanted.has('poster') || wanted.has('poster_candidates');
}

function keyPicturesTask({ request, source, wanted, size, shapes, tracks, small }: Setting): Task {
  const { backend, analysis, selection, folder, pieces, signal } = request;
  const reportSize = reportPictureSize(source);
  return {
    weight: 20 * selection.segments.length,
    run: async (progress) => renderKeyPictures({
      faceWeights: wantsPosters(wanted) ? await loadFaceWeights() : null,
      backend, source, analysis, selection, folder, pieces, progress, signal,
      size: wantsPictures(wanted) ? size : reportSize,
      posters: wanted.has('poster') ? shapes.map((shape) => ({ shape, track: tracks.get(shape) })) : [],
      candidates: wanted.has('poster_candidates') ? posterCandidates : 0,
      keyframes: wanted.has('keyframes'),
      taken: request.report !== null ? (picture, segment) => small.set(segment, shrink(picture, reportSize)) : null,
    }),
  };
}

function reportTask({ request, source, small }: Setting, warnings: readonly Warning[]): Task {
  const { backend, analysis, selection, folder, signal, title } = request;
  return {
    weight: 50,
    run: async (_, done) => ({ files: [await renderReport({ backend, source, analysis, selection, folder, signal, title, small, warnings, done })] }),
  };
}

const nothingToDraw: Warning = { code: 'captions-empty', detail: 'No captions are drawn into the preview, because the video has no subtitles in the segments. Set subtitles_url (vouch summarize: --subtitles).' };

const noCaptions: Warning = { code: 'captions-empty', detail: 'The captions are empty, because the video has no subtitles. Set subtitles_url (vouch summarize: --subtitles).' };

const missingShots: Warning = { code: 'shots-unavailable', detail: `The file shots.json contains no shots. ${noShots}` };

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
  return kind === 'shots' && !reportsShots(analysis.tier) ? [missingShots] : [];
}
