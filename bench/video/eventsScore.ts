import { isJunk, type Scene, type Script } from './eventsScript.ts';

interface Range {
  start: number;
  end: number;
}

/** Quality of one preview of a script; shares are 0–1. */
export interface EventsScore {
  /** Share of the events of which the preview shows at least half. */
  recall: number;
  /** Share of the preview that shows an event. */
  eventTime: number;
  /** Share of the preview that shows black, bars, title or credits. */
  junk: number;
  /** Share of the preview that is neither an event nor among the first 3 s of its place. */
  redundancy: number;
  /** Share of the places (including water and hum) of which the preview shows at least 1 s. */
  coverage: number;
  /** Share of the segment ends at a scene change or in silence. */
  clean: number;
}

/** Level in dB above which a cut in steady sound is audible. Water and hum are above this level, room tone is below. */
const heardBed = -36;
/** Decay time of the last knock of an event, in seconds. */
const lastDecay = 0.15;
/** Tolerance in seconds, about one and a half frames. */
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

/** Returns the mean of each figure. */
export function meanScores(scores: readonly EventsScore[]): EventsScore {
  const mean = (name: keyof EventsScore): number => scores.reduce((sum, score) => sum + score[name], 0) / scores.length;
  return {
    recall: mean('recall'), eventTime: mean('eventTime'), junk: mean('junk'), redundancy: mean('redundancy'), coverage: mean('coverage'), clean: mean('clean'),
  };
}
