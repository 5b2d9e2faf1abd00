import { framesPerSecond } from './eventsScript.ts';
import type { Film, FilmShot, ShotKind } from './previewsFilm.ts';

interface Range {
  start: number;
  end: number;
}

/** Quality of one preview of a composed film; shares are 0–1. */
export interface PreviewScore {
  /** Number of segments that repeat at least 0.7 s of an earlier segment. */
  repeats: number;
  /** Number of parts of shots under 0.7 s in the preview, without shots that are that short themselves. */
  fragments: number;
  /** Share of the segment ends within 1 s after a cut, but not at a cut. */
  lateEnds: number;
  /** Share of the segment starts within 0.5 s before a cut, but not at a cut. */
  earlyStarts: number;
  /** Share of the different scenes (beauty, talk, action, bang) of which the preview shows at least 1 s. */
  coverage: number;
  /** The same of the quiet scenes alone. */
  quiet: number;
  /** Share of the preview that shows cards, logos and credits on black. */
  junk: number;
  /** Share of the preview that shows titles over a scene. */
  titled: number;
  /** Share of the preview that shows darkened scenes. */
  dark: number;
  /** Share of the preview that shows blurred scenes. */
  blurred: number;
  /** 1 if at least half of the first segment shows darkened scenes, cards or credits. */
  dimStart: number;
  /** Number of words that a segment starts or ends in. */
  words: number;
  /** 1 if the poster shows a scene that makes a poster: not dark, blurred, a card or credits. */
  poster: number;
  /** 1 if the poster shows text: a title over a scene, a card or credits. */
  posterText: number;
  /** Share of the candidates for the poster that show text. */
  candidateText: number;
  seconds: number;
}

/** Tolerance of times, seconds: less than one picture. */
const tolerance = 0.6 / framesPerSecond;
const fragment = 0.7;
const scenes: readonly ShotKind[] = ['beauty', 'talk', 'action', 'bang'];
const noPoster: readonly ShotKind[] = ['dark', 'blurred', 'card', 'credits'];

/** @param posters times of the candidates' pictures in the film, seconds; the first is the poster. Empty if there is no poster */
export function scorePreview(film: Film, segments: readonly Range[], posters: readonly number[]): PreviewScore {
  const shown = (range: Range): number => segments.reduce((sum, segment) => sum + overlap(segment, range), 0);
  const ordered = [...segments].sort((one, other) => one.start - other.start);
  const seconds = segments.reduce((sum, { start, end }) => sum + end - start, 0);
  const stories = new Map<string, { kind: ShotKind; seconds: number }>();
  for (const shot of film.shots.filter(({ kind, start, end }) => scenes.includes(kind) && end - start >= 1.5)) {
    const known = stories.get(shot.source);
    stories.set(shot.source, { kind: shot.kind, seconds: Math.max(known?.seconds ?? 0, shown(shot)) });
  }
  const covered = (kinds: readonly ShotKind[]): number => {
    const list = [...stories.values()].filter(({ kind }) => kinds.includes(kind));
    return list.filter((story) => story.seconds >= 1).length / list.length;
  };
  const secondsOf = (range: Range, kinds: readonly ShotKind[]): number => film.shots.filter(({ kind }) => kinds.includes(kind)).reduce((sum, shot) => sum + overlap(shot, range), 0);
  const shareOf = (...kinds: ShotKind[]): number => segments.reduce((sum, segment) => sum + secondsOf(segment, kinds), 0) / seconds;
  const titledSeconds = film.shots.reduce((sum, { end, titled }) => sum + shown({ start: end - titled / framesPerSecond, end }), 0);
  const [opening] = ordered;
  const words = film.shots.flatMap((shot) => shot.words);
  const atPoster = posters.length === 0 ? undefined : shotAt(film, posters[0]!);
  return {
    repeats: ordered.filter((segment, index) => ordered.slice(0, index).some((before) => common(film, before, segment) >= fragment)).length,
    fragments: ordered.reduce((sum, segment) => sum + fragmentsOf(film.shots, segment), 0),
    lateEnds: share(ordered, ({ end }) => isLate(film, end)),
    earlyStarts: share(ordered, ({ start }) => isEarly(film, start)),
    coverage: covered(scenes),
    quiet: covered(['beauty']),
    junk: shareOf('card', 'credits'),
    titled: titledSeconds / seconds,
    dark: shareOf('dark'),
    blurred: shareOf('blurred'),
    dimStart: opening !== undefined && secondsOf(opening, ['dark', 'card', 'credits']) >= (opening.end - opening.start) / 2 ? 1 : 0,
    words: words.filter((word) => ordered.some(({ start, end }) => [start, end].some((time) => time > word.start + 0.03 && time < word.end - 0.03))).length,
    poster: atPoster !== undefined && !noPoster.includes(atPoster.kind) ? 1 : 0,
    posterText: share(posters.slice(0, 1), (time) => showsText(film, time)),
    candidateText: share(posters, (time) => showsText(film, time)),
    seconds,
  };
}

/**
 * Share of the pairs of a good and a bad picture that a ranking puts in the right order; 0.5 for a random ranking. Bad are dark
 * and blurred pictures, cards and credits. Null if there is no such pair.
 * @param ranked times of pictures in the film, seconds, best first
 */
export function rankPosters(film: Film, ranked: readonly number[]): number | null {
  let [good, right, bad] = [0, 0, 0];
  for (const time of ranked) {
    const shot = shotAt(film, time);
    if (shot === undefined) continue;
    if (!noPoster.includes(shot.kind)) good++;
    else {
      right += good;
      bad++;
    }
  }
  return good * bad === 0 ? null : right / (good * bad);
}

/** Whether the end of a segment lies within 1 s after a cut, but not at a cut. */
export function isLate(film: Film, end: number): boolean {
  return !isAtCut(film, end) && cutsOf(film).some((cut) => end - cut > tolerance && end - cut < 1);
}

/** Whether the start of a segment lies within 0.5 s before a cut, but not at a cut. */
export function isEarly(film: Film, start: number): boolean {
  return !isAtCut(film, start) && cutsOf(film).some((cut) => cut - start > tolerance && cut - start < 0.5);
}

function isAtCut(film: Film, time: number): boolean {
  return cutsOf(film).some((cut) => Math.abs(cut - time) <= tolerance);
}

function cutsOf({ shots }: Film): number[] {
  return shots.slice(1).map(({ start }) => start);
}

function shotAt({ shots }: Film, time: number): FilmShot | undefined {
  return shots.find(({ start, end }) => time >= start && time < end);
}

/** Whether the picture at a time shows a title over a scene, a card or credits. */
function showsText(film: Film, time: number): boolean {
  const shot = shotAt(film, time);
  if (shot === undefined) return false;
  return shot.kind === 'card' || shot.kind === 'credits' || time >= shot.end - shot.titled / framesPerSecond - 1e-6;
}

function share<Element>(list: readonly Element[], holds: (element: Element) => boolean): number {
  return list.filter(holds).length / Math.max(1, list.length);
}

function fragmentsOf(shots: readonly FilmShot[], segment: Range): number {
  return shots.filter((shot) => {
    const seconds = overlap(shot, segment);
    return seconds > tolerance && seconds < Math.min(fragment, shot.end - shot.start) - tolerance;
  }).length;
}

/** Seconds of the film's sources that both segments show. */
function common(film: Film, one: Range, other: Range): number {
  let sum = 0;
  for (const shot of film.shots) {
    if (overlap(shot, one) === 0) continue;
    for (const copy of film.shots) {
      if (copy.source !== shot.source || overlap(copy, other) === 0) continue;
      sum += overlap({ start: Math.max(one.start, shot.start) - shot.start, end: Math.min(one.end, shot.end) - shot.start }, { start: Math.max(other.start, copy.start) - copy.start, end: Math.min(other.end, copy.end) - copy.start });
    }
  }
  return sum;
}

function overlap(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));
}

/** Returns the mean of each figure. */
export function meanPreviewScore(scores: readonly PreviewScore[]): PreviewScore {
  const mean = (name: keyof PreviewScore): number => scores.reduce((sum, score) => sum + score[name], 0) / scores.length;
  return {
    repeats: mean('repeats'), fragments: mean('fragments'), lateEnds: mean('lateEnds'), earlyStarts: mean('earlyStarts'), coverage: mean('coverage'),
    quiet: mean('quiet'), junk: mean('junk'), titled: mean('titled'), dark: mean('dark'), blurred: mean('blurred'), dimStart: mean('dimStart'), words: mean('words'), poster: mean('poster'), posterText: mean('posterText'), candidateText: mean('candidateText'), seconds: mean('seconds'),
  };
}
