import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';

/** An interesting event, planted at a known time; times in seconds from the start of the video. */
export interface PlantedEvent {
  start: number;
  end: number;
  kind: 'motion' | 'sound' | 'both';
  /** Strength, 0.6–1. */
  strength: number;
}

export type SceneKind = 'home' | 'water' | 'hum' | 'black' | 'bars' | 'title' | 'credits';

export interface Word {
  start: number;
  end: number;
  /** Pitch, Hz. */
  pitch: number;
}

/** One shot of a generated video. */
export interface Scene {
  kind: SceneKind;
  start: number;
  end: number;
  /** Scenes with the same number show the same background. */
  place: number;
  style: 'static' | 'pan' | 'talk';
  /** Level of the steady sound, in dB of full scale. */
  bed: number;
  event: PlantedEvent | null;
  words: readonly Word[];
  /** Start time of a person who walks through the scene, in seconds of the video; this is not an event. Null if there is none. */
  walker: number | null;
}

export interface Script {
  seed: number;
  seconds: number;
  scenes: readonly Scene[];
  events: readonly PlantedEvent[];
}

export const framesPerSecond = 15;
const places = 4;
const waterPlace = 10;
const junk: readonly SceneKind[] = ['black', 'bars', 'title', 'credits'];

export function isJunk(scene: Scene): boolean {
  return junk.includes(scene.kind);
}

/**
 * Generates the script of a video of five to seven minutes: four recurring places (static, panned or with a talking person),
 * water (constant motion) and a hum (constant loudness) as distractors, black, bars, title and credits, and six to nine events of
 * 2 to 3.5 s.
 */
export function writeScript(seed: number): Script {
  const random = seededRandom(seed * 7919 + 17);
  const plan = planScenes(random);
  const eventScenes = pickSome(random, plan.filter((scene) => scene.kind === 'home' && scene.seconds >= 10), 6 + random.below(4));
  const events: PlantedEvent[] = [];
  let at = 0;
  const scenes = plan.map((planned): Scene => {
    const start = at;
    const end = (at = start + planned.seconds);
    const event = eventScenes.includes(planned) ? plantEvent(random, start, end, events.length) : null;
    if (event !== null) events.push(event);
    const words = planned.style === 'talk' && planned.kind === 'home' ? speak(random, start, end) : [];
    const walker = planned.kind === 'home' && random.uniform() < 0.4 ? start + 1 + random.uniform() * (planned.seconds - 6) : null;
    return { ...planned, start, end, event, words, walker };
  });
  return { seed, seconds: at, scenes, events };
}

type PlannedScene = Omit<Scene, 'start' | 'end' | 'event' | 'words' | 'walker'> & { seconds: number };

function planScenes(random: SeededRandom): PlannedScene[] {
  const whole = (least: number, most: number): number => least + Math.round((most - least) * random.uniform() * framesPerSecond) / framesPerSecond;
  const make = (kind: SceneKind, seconds: number, place: number, bed: number, style: Scene['style'] = 'static'): PlannedScene => ({ kind, seconds, place, style, bed });
  const middle: PlannedScene[] = [];
  const homes = 13 + random.below(5);
  for (let index = 0; index < homes; index++) {
    middle.push(make('home', whole(9, 24), index % places, -62 + 20 * random.uniform(), random.pick(['static', 'pan', 'talk'] as const)));
  }
  for (let index = 0; index < 2; index++) {
    middle.push(make('water', whole(9, 16), waterPlace, -30));
    middle.push(make('hum', whole(9, 16), random.below(places), -20));
  }
  shuffle(random, middle);
  middle.splice(3 + random.below(middle.length - 6), 0, make('black', whole(1, 3), 20, -90));
  const opening = random.uniform() < 0.5 ? [make('bars', whole(4, 8), 21, -20), make('black', 1, 20, -90)] : [make('black', whole(1, 2), 20, -90)];
  return [
    ...opening,
    make('title', whole(3, 6), 22, -45),
    ...middle,
    make('credits', whole(10, 20), 23, -24),
    make('black', whole(1, 2), 20, -90),
  ];
}

function plantEvent(random: SeededRandom, from: number, to: number, index: number): PlantedEvent {
  const seconds = 2 + 1.5 * random.uniform();
  const start = from + 2.5 + random.uniform() * (to - from - seconds - 5);
  return { start, end: start + seconds, kind: (['motion', 'sound', 'both'] as const)[index % 3]!, strength: 0.6 + 0.4 * random.uniform() };
}

/** Generates words of 0.2 to 0.6 s in sentences, with short pauses between words and longer pauses between sentences. */
function speak(random: SeededRandom, from: number, to: number): Word[] {
  const words: Word[] = [];
  const pitch = 95 + 110 * random.uniform();
  let at = from + 0.3 + random.uniform();
  while (at < to - 0.8) {
    const count = 3 + random.below(7);
    for (let index = 0; index < count && at < to - 0.8; index++) {
      const end = at + 0.2 + 0.4 * random.uniform();
      words.push({ start: at, end, pitch: pitch * (1.15 - (0.3 * index) / count) });
      at = end + 0.03 + 0.12 * random.uniform();
    }
    at += 0.5 + 0.7 * random.uniform();
  }
  return words;
}

function shuffle(random: SeededRandom, list: unknown[]): void {
  for (let index = list.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    [list[index], list[other]] = [list[other], list[index]];
  }
}

function pickSome<Element>(random: SeededRandom, list: readonly Element[], count: number): Element[] {
  const rest = [...list];
  shuffle(random, rest);
  return rest.slice(0, count);
}
