import { formatTime } from '../selection/formatTime.ts';
import { markup, type Markup } from './markup.ts';
import { describeFraming, type Framing } from './shapedPreviews.ts';

/** Why a picture is the poster or a candidate for it. */
export interface PosterChoice {
  /** Quality of the picture, 0–1. */
  quality: number;
  /** Whether the picture shows text over it; null if it was not searched. */
  text: boolean | null;
  /** How well the picture shows a face, 0–1: 0 without a face that is sharp, whole and large enough; null if it was not searched. */
  face: number | null;
}

/** A poster or a candidate for it, as a file beside the report. */
export interface PosterFile {
  kind: string;
  path: string;
  /** Size, pixels. */
  width?: number;
  height?: number;
  /** Time of the picture in the video, seconds. */
  time?: number;
  aspectRatio?: string;
  framing?: Framing;
  choice?: PosterChoice;
}

/** Shows the posters and the candidates, each with the reasons for which it was chosen; null without any. A candidate that is the same picture as a poster is named below the poster. */
export function posterFigures(files: readonly PosterFile[], segments: readonly { start: number; end: number }[]): Markup | null {
  const pictures = new Map<string, PosterFile[]>();
  for (const file of files) {
    if (file.kind !== 'poster' && file.kind !== 'poster-candidate') continue;
    const key = `${file.time} ${file.width} ${file.height}`;
    pictures.set(key, [...pictures.get(key) ?? [], file]);
  }
  if (pictures.size === 0) return null;
  return markup`<h2>${pictures.size === 1 ? 'Poster' : 'Posters'}</h2>
<div class="posters">${[...pictures.values()].map((same) => showFigure(same, segments))}</div>`;
}

function showFigure(same: readonly PosterFile[], segments: readonly { start: number; end: number }[]): Markup {
  const { path, kind, width, height, time, aspectRatio, framing, choice } = same[0]!;
  const segment = segments.findIndex(({ start, end }) => time !== undefined && time >= start && time <= end);
  const place = time === undefined ? null : `at ${formatTime(time)}${segment === -1 ? '' : `, segment ${segment + 1}`}`;
  const shape = framing === undefined ? null : `${aspectRatio === undefined ? '' : `${aspectRatio}; `}${describeFraming(framing)}`;
  return markup`<figure><img loading="lazy" src="${path}" width="${width ?? 0}" height="${height ?? 0}" alt="${kind === 'poster' ? 'Poster' : 'Candidate for the poster'}${place === null ? '' : `, ${place}`}">
<figcaption><b>${same.map((file, at) => markup`${at === 0 ? null : ', '}<a href="${file.path}">${file.path}</a>`)}</b>
<span>${[place, ...(choice === undefined ? [] : [describeChoice(choice)]), shape].filter((part) => part !== null).map((part) => markup`<span class="soft">${part}</span>`)}</span></figcaption></figure>`;
}

/** Describes why a picture was chosen, for example `quality 71 %, no text found, shows a face, 40 % clear`; what was not searched is left out. */
function describeChoice({ quality, text, face }: PosterChoice): string {
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const parts = [`quality ${percent(quality)}`];
  if (text !== null) parts.push(text ? 'shows text' : 'no text found');
  if (face !== null) parts.push(face > 0 ? `shows a face, ${percent(face)} clear` : 'no clear face');
  return parts.join(', ');
}
