import { reportsShots, type Analysis, type Warning } from '../analysis/analysis.ts';
import type { FileKind } from '../options/outputs.ts';
import { formatTime } from '../selection/formatTime.ts';
import type { RejectedSegment, Segment, Selection } from '../selection/selection.ts';
import { curveFigure } from './curveFigure.ts';
import type { ShapedPreview } from './shapedPreviews.ts';
import { describeReason, formatCount, formatPart, formatShare } from './describeReason.ts';
import { markup, Markup } from './markup.ts';
import { posterFigures, type PosterFile } from './posterFigures.ts';
import { reportStyle } from './reportStyle.ts';

/** One image with many pictures, as a `data:` URL. */
export interface PictureSheet {
  dataUrl: string;
  width: number;
  height: number;
  /** Size of each picture. */
  tile: { width: number; height: number };
  /** Position of the picture of each selected and each rejected segment; null without a picture. */
  segments: readonly (Place | null)[];
  rejected: readonly (Place | null)[];
}

interface Place {
  x: number;
  y: number;
}

export interface ReportFacts {
  /** Name of the video; untrusted text. */
  title: string;
  analysis: Pick<Analysis, 'tier' | 'backend' | 'info' | 'shots' | 'transitions'>;
  selection: Selection;
  /** Start and duration of each segment in the preview, seconds. */
  parts: readonly { at: number; duration: number }[];
  /** The preview to show: a file in the folder of the report. */
  preview: { kind: FileKind; name: string; poster: string | null } | null;
  /** Previews in requested shapes: paths relative to the folder of the report, and what they show of the pictures. */
  shapes: readonly ShapedPreview[];
  /** Files of the rendering, of which posters and candidates are shown: paths relative to the folder of the report. */
  files: readonly PosterFile[];
  warnings: readonly Warning[];
  pictures: PictureSheet | null;
}

/**
 * Builds one HTML page that explains what the preview shows and why. The page needs no network and no script; only the preview
 * and the posters are separate files. All text from the video or from outside is escaped.
 */
export function buildReport(facts: ReportFacts): string {
  const { title, analysis, selection, warnings, pictures } = facts;
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'">
<title>Preview of ${title}</title>
<style>${styleSheet}</style>
</head>
<body>
${pictures === null ? null : markup`<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><image id="sheet" href="${pictures.dataUrl}" width="${pictures.width}" height="${pictures.height}"/></defs></svg>`}
<main>
<header>
<h1>Preview of ${title}</h1>
<p>${lengthSentence(facts)}</p>
</header>
${warnings.length === 0 ? null : markup`<section class="warnings" aria-label="Warnings">${warnings.map(({ detail }) => markup`<p>${detail}</p>`)}</section>`}
${showPreview(facts)}
${listShapes(facts)}
${sourceFacts(analysis)}
<h2>Importance over the video</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Importance over the video">${curveFigure({ analysis, selection })}</div>
${legend(reportsShots(analysis.tier))}
<h2>Segments of the preview</h2>
<ol class="segments">${selection.segments.map((segment, index) => describeSegment(segment, index, facts))}</ol>
${posterFigures(facts.files, selection.segments)}
${describeRejected(selection.rejected, pictures)}
<footer><p>Made by Vouch. Each percentage shows how much of the segment’s score would disappear without that reason. The percentages need not add up to 100 %.</p></footer>
</main>
</body>
</html>
`;
  return page.text;
}

/** The style sheet, which contains no external text. As ordinary text it would be escaped. */
const styleSheet = new Markup(reportStyle);

function lengthSentence({ analysis, selection, parts }: ReportFacts): string {
  const last = parts.at(-1);
  const seconds = last === undefined ? 0 : last.at + last.duration;
  const share = Math.round((seconds / analysis.info.duration) * 100);
  const { duration } = analysis.info;
  return `${formatPart(seconds, duration)} (${share} %) in ${formatCount(selection.segments.length, 'segment')}${reportsShots(analysis.tier) ? `, from ${formatCount(analysis.shots.length, 'shot')}` : ''}.`;
}

function showPreview({ preview, title }: ReportFacts): Markup | null {
  if (preview === null) return null;
  if (preview.kind === 'gif' || preview.kind === 'webp') return markup`<img class="moving" src="${preview.name}" alt="The preview of ${title}, moving">`;
  return markup`<video controls preload="metadata" src="${preview.name}"${preview.poster === null ? null : markup` poster="${preview.poster}"`} aria-label="The preview of ${title}"></video>`;
}

function listShapes({ shapes }: ReportFacts): Markup | null {
  if (shapes.length === 0) return null;
  return markup`<ul class="shapes" aria-label="Shapes">${shapes.map(({ path, shape }) => markup`<li><a href="${path}">${path}</a>: ${shape}</li>`)}</ul>`;
}

const tierNames = { accurate: 'accurate: every frame', balanced: 'balanced: no B-frames, exact cuts', fast: 'fast: key frames only' } as const;

function sourceFacts({ info, tier, backend, shots, transitions }: ReportFacts['analysis']): Markup {
  const { video, audio } = info;
  const perSecond = video.frameRate.numerator / video.frameRate.denominator;
  const gradual = transitions.filter(({ kind }) => kind !== 'cut').length;
  const facts: [string, string][] = [
    ['Length', formatTime(info.duration)],
    ['Frames', `${video.width} × ${video.height}, ${Number(perSecond.toFixed(3))} per second${video.variableFrameRate ? ' (variable)' : ''}`],
    ['Video codec', `${video.codec}, ${video.bitDepth} bit${video.highDynamicRange ? ', HDR' : ''}`],
    ['Sound', audio === null ? 'none' : `${audio.codec}, ${formatCount(audio.channels, 'channel')}`],
    ['File', `${info.container}, ${(info.bytes / 1e6).toFixed(1)} MB`],
    ['Shots', reportsShots(tier) ? `${shots.length}; ${formatCount(gradual, 'gradual transition')}` : 'not reported: the tier fast decodes key frames only'],
    ['Analysis', tierNames[tier]],
    ['Decoder', `${backend.name === 'ffmpeg' ? 'ffmpeg' : 'FFmpeg from node-av'} ${backend.version}`],
  ];
  return markup`<dl>${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function legend(withShots: boolean): Markup {
  return markup`<ul class="key" aria-label="Legend">
<li><svg viewBox="0 0 9 9" aria-hidden="true"><rect class="importance" width="9" height="9"/></svg>importance</li>
<li><svg viewBox="0 0 9 9" aria-hidden="true"><rect class="chosen" width="9" height="9"/></svg>in the preview, with its number</li>
<li><svg viewBox="0 0 9 9" aria-hidden="true"><circle class="miss" cx="4.5" cy="4.5" r="3"/></svg>important, but not in the preview</li>
${withShots ? markup`<li><svg viewBox="0 0 9 9" aria-hidden="true"><rect class="shot0" width="4.5" height="9"/><rect class="shot1" x="4.5" width="4.5" height="9"/></svg>shots</li>` : null}</ul>`;
}

function describeSegment(segment: Segment, index: number, { parts, pictures, preview }: ReportFacts): Markup {
  const part = parts[index];
  const plays = preview !== null && ['mp4', 'webm', 'av1'].includes(preview.kind);
  const place = part === undefined ? null : `at ${formatTime(part.at)} in the preview`;
  return markup`<li>
<div>${showPicture(pictures, pictures?.segments[index] ?? null, `Segment ${index + 1}, from ${formatTime(segment.start)}`)}</div>
<div><h3>${index + 1}. ${formatTime(segment.start)}–${formatTime(segment.end)}${segment.title === null ? null : markup` · ${segment.title}`}</h3>
<p class="soft">${(segment.end - segment.start).toFixed(1)} s, score ${segment.score.toFixed(2)}${place === null ? null : plays ? markup`, <a href="${preview.name}#t=${part!.at.toFixed(2)}">${place}</a>` : markup`, ${place}`}</p>
${segment.text === null ? null : markup`<blockquote>${segment.text}</blockquote>`}
<ul class="reasons">${segment.reasons.map((reason) => markup`<li><span class="share">${formatShare(reason)}</span><meter min="0" max="1" value="${reason.share.toFixed(3)}" aria-hidden="true"></meter><span>${describeReason(reason)}</span></li>`)}</ul></div></li>`;
}

function describeRejected(rejected: readonly RejectedSegment[], pictures: PictureSheet | null): Markup | null {
  if (rejected.length === 0) return null;
  return markup`<h2>Moments not in the preview</h2>
<p class="soft">The most important moments that the preview does not show, each with the reason.</p>
<div class="scroll"><table><thead><tr><th scope="col">Frame</th><th scope="col">Time</th><th scope="col">Score</th><th scope="col">Reason</th></tr></thead><tbody>
${rejected.map((miss, index) => markup`<tr><td class="picture-cell">${showPicture(pictures, pictures?.rejected[index] ?? null, `At ${formatTime(miss.start)}`)}</td><td class="time">${formatTime(miss.start)}–${formatTime(miss.end)}</td><td>${miss.score.toFixed(2)}</td><td>${miss.detail}</td></tr>`)}
</tbody></table></div>`;
}

/**
 * Shows one picture of the shared image. The page contains the image data once, and unlike a CSS background, the picture is
 * printed.
 */
function showPicture(sheet: PictureSheet | null, place: Place | null, name: string): Markup | null {
  if (sheet === null || place === null) return null;
  const { width, height } = sheet.tile;
  return markup`<svg class="picture" role="img" aria-label="${name}" viewBox="${place.x} ${place.y} ${width} ${height}" width="${width}" height="${height}"><use href="#sheet"/></svg>`;
}
