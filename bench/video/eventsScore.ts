import { isJunk, type Scene, type Script } from './eventsScript.ts';

interface Range {
  start: number;
  end: number;
}

/** How good one preview of a script is; shares 0–1. */
export interface EventsScore {
  /** Events of which at least half is shown. */
  recall: number;
  /** Share of the preview that shows an event. */
  eventTime: number;
  /** Share of the preview that shows black, bars, title or credits. */
  junk: number;
  /** Share of the preview that is neither an event nor among the first 3 s of its place. */
  redundancy: number;
  /** Share of the places (water and hum count) of which at least 1 s is shown. */
  coverage: number;
  /** Ends that lie on a change of scene or in silence. */
  clean: number;
}

/** Water and hum are steady: a cut in them is heard. Room tone below this is not, dB. */
const heardBed = -36;
/** The last blow of an event dies away, seconds. */
const lastDecay = 0.15;
/** A frame and a half. */
const edgeTolerance = 0.1;

export function scoreSummary(script: Script, segments: readonly Range[]): EventsScore {
  const total = segments.reduce((sum, { start, end }) => sum + end - start, 0);
  const shown = (range: Range): number => segments.reduce((sum, segment) => sum + overlap(segment, range), 0);
  const events = script.events.map((event) => ({ event, share: shown(event) / (event.end - event.start) }));
  const eventSeconds = script.events.reduce((sum, event) => sum + shown(event), 0);
  const junkSeconds = script.scenes.filter(isJunk).reduce((sum, scene) => sum + shown(scene), 0);
  const places = new Map<string, { seconds: number; events: number }>();
  for (const scene of script.scenes.filter((other) => !isJunk(other))) {
    const key = placeKey(scene);
    const known = places.get(key) ?? { seconds: 0, events: 0 };
    known.seconds += shown(scene);
    known.events += scene.event === null ? 0 : shown(scene.event);
    places.set(key, known);
  }
  const repeated = [...places.values()].reduce((sum, place) => sum + Math.max(0, place.seconds - place.events - 3), 0);
  const ends = segments.flatMap(({ start, end }) => [start, end]);
  return {
    recall: events.filter(({ share }) => share >= 0.5).length / events.length,
    eventTime: eventSeconds / total,
    junk: junkSeconds / total,
    redundancy: repeated / total,
    coverage: [...places.values()].filter(({ seconds }) => seconds >= 1).length / places.size,
    clean: ends.filter((time) => isClean(script, time)).length / ends.length,
  };
}

function placeKey(scene: Scene): string {
  return `${scene.kind}${scene.kind === 'hum' ? '' : scene.place}`;
}

function isClean(script: Script, time: number): boolean {
  if (script.scenes.some((scene) => Math.abs(scene.start - time) < edgeTolerance || Math.abs(scene.end - time) < edgeTolerance)) return true;
  const scene = script.scenes.find((other) => time >= other.start && time < other.end);
  if (scene === undefined) return false;
  const inWord = scene.words.some((word) => time > word.start + 0.02 && time < word.end - 0.02);
  const { event } = scene;
  const inEvent = event !== null && event.kind !== 'motion' && time > event.start && time < event.end - lastDecay;
  return !inWord && !inEvent && scene.bed < heardBed;
}

function overlap(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start));
}

/** Mean of each figure. */
export function meanScores(scores: readonly EventsScore[]): EventsScore {
  const mean = (name: keyof EventsScore): number => scores.reduce((sum, score) => sum + score[name], 0) / scores.length;
  return {
    recall: mean('recall'), eventTime: mean('eventTime'), junk: mean('junk'), redundancy: mean('redundancy'), coverage: mean('coverage'), clean: mean('clean'),
  };
}
