import type { Analysis } from '../analysis/analysis.ts';
import { firstFrame } from '../media/firstFrame.ts';
import { isHeld, longestFrame, shownFrame } from '../media/heldPictures.ts';
import { nearestFrame } from '../media/nearestFrame.ts';
import type { Segment } from '../selection/selection.ts';

export interface Poster {
  /** Presentation time of a frame, seconds. */
  time: number;
  /** Index of the segment that shows the frame. */
  segment: number;
  /** Quality of the picture, 0–1. */
  quality: number;
}

/** Number of pictures among which a caller may choose the poster. */
export const posterCandidates = 3;

/**
 * Chooses the pictures that may become the poster: the best picture of each segment by sharpness, exposure, contrast, colour and
 * stillness. The score of the segment counts a little, so that of two good pictures the more important one wins.
 *
 * @returns one picture per segment, best first
 */
export function choosePosters(analysis: Pick<Analysis, 'frames' | 'frameTimes'>, segments: readonly Segment[]): Poster[] {
  return segments
    .map((segment, index) => bestOf(analysis, segment, index))
    .sort((a, b) => b.quality - a.quality || a.segment - b.segment);
}

/** Largest number of pictures beyond the wanted ones that are searched for text: decoding a picture of a long GOP takes seconds. */
const extraLooks = 5;

/**
 * Moves pictures without text before pictures with text. Pictures are looked at in their order until `wanted` pictures without text
 * are found, or `wanted` + 5 pictures have been looked at; the others keep their places behind the pictures without text. If all pictures
 * show text, as in a video with a station logo, the order does not change.
 *
 * @param showsText decodes a picture and reports whether it shows text
 */
export async function preferWithoutText(posters: readonly Poster[], wanted: number, showsText: (poster: Poster) => Promise<boolean>): Promise<Poster[]> {
  const clear: Poster[] = [];
  const rest: Poster[] = [];
  for (const [index, poster] of posters.entries()) {
    const looks = clear.length < wanted && index < wanted + extraLooks;
    if (looks && !(await showsText(poster))) clear.push(poster);
    else rest.push(poster);
  }
  return [...clear, ...rest];
}

/** Seconds between two pictures of one segment that are searched for faces: closer pictures show the same. */
const apart = 1.5;
/** Pictures of one segment that are searched for faces. */
const momentsPerSegment = 3;

/** Chooses pictures in which faces may be searched: of each segment the best one, as `choosePosters`, and others of the segment at other times, best first. */
export function chooseMoments(analysis: Pick<Analysis, 'frames' | 'frameTimes'>, segments: readonly Segment[]): Poster[] {
  return segments
    .flatMap((segment, index) => Array.from({ length: momentsPerSegment }).reduce<Poster[]>((found) => {
      const next = bestOf(analysis, segment, index, found);
      return next.quality > 0 ? [...found, next] : found;
    }, []))
    .sort((a, b) => b.quality - a.quality || a.segment - b.segment);
}

/** How much better a picture counts that shows a face, at most: of two good pictures the one with the face wins, but a bad picture does not win by a face. */
const faceBonus = 0.5;

/** What is known of a picture that was looked at. */
export interface Look {
  poster: Poster;
  text: boolean;
  /** How well the picture shows a face, 0–1. */
  face: number;
}

/** Quality of a picture with the bonus for a face. */
function worthOf({ poster, face }: Pick<Look, 'poster' | 'face'>): number {
  return poster.quality * (1 + faceBonus * face);
}

/** The pictures that can come before `best` if they show a face, best first. */
export function mayWin(moments: readonly Poster[], best: Look): Poster[] {
  return moments.filter((poster) => worthOf({ poster, face: 1 }) > worthOf(best));
}

/**
 * Puts pictures with a face that is whole, sharp and large enough before others of about the same quality. Of each segment, the picture that is worth most is
 * taken. Pictures that were not looked at and pictures with text keep their places behind the others; without faces, the order does not change.
 *
 * @param posters one picture per segment, in the order of `preferWithoutText`
 */
export function preferFaces(posters: readonly Poster[], looks: readonly Look[]): Poster[] {
  const clear = looks.filter(({ text }) => !text);
  if (clear.every(({ face }) => face === 0)) return [...posters];
  const found = posters.flatMap((poster) => {
    const own = clear.filter((look) => look.poster.segment === poster.segment && (look.face > 0 || look.poster.time === poster.time));
    return own.length === 0 ? [] : [own.reduce((best, look) => (worthOf(look) > worthOf(best) ? look : best))];
  });
  const first = found.sort((one, other) => worthOf(other) - worthOf(one)).map(({ poster }) => poster);
  return [...first, ...posters.filter(({ segment }) => first.every((poster) => poster.segment !== segment))];
}

/** The best picture of a segment, away from the ends, where transitions are, and `apart` seconds from other pictures; quality 0 if there is none. */
function bestOf({ frames, frameTimes }: Pick<Analysis, 'frames' | 'frameTimes'>, segment: Segment, index: number, others: readonly Poster[] = []): Poster {
  const { times } = frames;
  const middle = (segment.start + segment.end) / 2;
  const margin = Math.min(0.4, (segment.end - segment.start) / 4);
  let best = { time: middle, quality: -1 };
  for (let at = firstFrame(times, segment.start + margin); at < times.length && times[at]! <= segment.end - margin; at++) {
    if (others.some(({ time }) => Math.abs(time - times[at]!) < apart)) continue;
    const quality = qualityOf(frames, at, isHeld(frameTimes, times[at]! + longestFrame));
    if (quality > best.quality) best = { time: times[at]!, quality };
  }
  // Within a held picture no frame begins: the segment shows the picture from before.
  if (best.quality < 0 && others.length === 0 && isHeld(frameTimes, middle)) best = { time: shownFrame(frameTimes, middle), quality: qualityOf(frames, Math.max(0, firstFrame(times, middle) - 1), true) };
  return { time: nearestFrame(frameTimes, best.time), segment: index, quality: Math.max(0, best.quality) * (0.7 + 0.3 * segment.score) };
}

/**
 * Quality of a picture, 0–1. Typical of good pictures: brightness 110, contrast 50, detail 8, saturation 25, and a difference
 * below 3 from the picture before: more is blurred by motion.
 * @param held whether the picture is shown for long, so that a difference is the change to another still picture
 */
function qualityOf({ brightness, contrast, detail, saturation, difference }: Analysis['frames'], at: number, held: boolean): number {
  const exposure = Math.exp(-(((brightness[at]! - 110) / 70) ** 2));
  const structure = (Math.min(1, contrast[at]! / 50) + Math.min(1, detail[at]! / 8)) / 2;
  const colour = 0.8 + 0.2 * Math.min(1, saturation[at]! / 25);
  const still = held ? 1 : 1 / (1 + Math.max(0, difference[at]! - 3) / 10);
  return exposure * structure * colour * still;
}
