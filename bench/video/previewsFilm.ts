import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { framesPerSecond, type Word } from './eventsScript.ts';
import { blur, darken, paintScene, playScene, speak, type Take } from './previewsMaterial.ts';

/**
 * What a shot of a composed film is for. `jingle` and `bang` occur several times with the same pictures and sound; `dark` and
 * `blurred` are loud but make no poster; `card` and `credits` do not belong in a preview. A take of titles on black is a `card`,
 * whatever the script uses it for.
 */
export type ShotKind = 'jingle' | 'bang' | 'beauty' | 'talk' | 'action' | 'flash-shot' | 'dark' | 'blurred' | 'card' | 'credits';

/** One shot of a composed film. */
export interface FilmShot {
  kind: ShotKind;
  /** Shots with the same source have the same pictures and the same sound. */
  source: string;
  start: number;
  end: number;
  pictures: readonly Uint8Array[];
  sound: Int16Array;
  /** Times from the start of the film, seconds. */
  words: readonly Word[];
  /** Number of pictures at the end of the shot that show a title over a scene. */
  titled: number;
}

export interface Film {
  name: string;
  seconds: number;
  shots: readonly FilmShot[];
}

/** What a shot is made of, without its place in the film. */
type Part = Omit<FilmShot, 'start' | 'end'>;

/** Kinds of films: one with jingles and loud events that return, and one that plays four times from start to end. */
export type FilmKind = 'episodes' | 'loop';

/** Composes a film of 3 to 5 minutes. The same material and seed give the same film. */
export function composeFilm(kind: FilmKind, takes: readonly Take[], seed: number): Film {
  const random = seededRandom(seed * 6151 + 5);
  const rest = shuffled(random, takes);
  const shots = kind === 'loop' ? composeLoop(random, rest, seed) : composeEpisodes(random, rest, seed);
  return place(`${kind}-${seed}`, shots);
}

function composeEpisodes(random: SeededRandom, rest: Take[], seed: number): Part[] {
  const jingle = [real('jingle', rest, 1.4, seed + 1, { bed: -14, chords: true }), real('jingle', rest, 2.2, seed + 2, { bed: -12, chords: true })];
  const bang = real('bang', rest, 4, seed + 3, { bed: -34, loud: true });
  const middle: Part[][] = [];
  const quick = (count: number): Part[] => Array.from({ length: count }, (_, index) =>
    real(random.uniform() < 0.2 ? 'flash-shot' : 'action', rest, random.uniform() < 0.25 ? 0.4 + 0.5 * random.uniform() : 1.6 + 2.6 * random.uniform(), seed * 100 + 10 + index + rest.length, { bed: -32 + 8 * random.uniform() }));
  for (let episode = 0; episode < 4; episode++) {
    const own = seed * 1000 + episode * 50;
    const blocks: Part[][] = [
      quick(4),
      [painted('beauty', 6 + 4 * random.uniform(), own + 1, { bed: -72 }), real('beauty', rest, 6, own + 2, { bed: -70 })],
      [talk(rest, 8 + 5 * random.uniform(), own + 3), talk(rest, 7 + 4 * random.uniform(), own + 4)],
      [bang],
      episode % 2 === 0 ? [altered('dark', rest, 3, own + 5)] : [altered('blurred', rest, 3, own + 6)],
    ];
    middle.push([...jingle, card(own + 7), ...shuffled(random, blocks).flat()]);
  }
  return [card(seed + 8), ...middle.flat(), credits(seed + 9)];
}

function composeLoop(random: SeededRandom, rest: Take[], seed: number): Part[] {
  const own = seed * 1000;
  const once: Part[] = [
    ...Array.from({ length: 3 }, (_, index) => real('action', rest, 1.5 + 2.5 * random.uniform(), own + index, { bed: -30 })),
    painted('beauty', 7, own + 11, { bed: -70 }),
    real('bang', rest, 4, own + 12, { bed: -34, loud: true }),
    talk(rest, 9, own + 13),
    ...Array.from({ length: 4 }, (_, index) => real('action', rest, 1 + 3 * random.uniform(), own + 20 + index, { bed: -30 })),
    painted('beauty', 6, own + 14, { bed: -70 }),
    talk(rest, 8, own + 15),
  ];
  return [0, 1, 2, 3].flatMap(() => once);
}

/** Takes the next take, mirrored for odd seeds, and generates its sound. Takes are used again after all have been used. */
function real(kind: ShotKind, rest: Take[], seconds: number, seed: number, sound: { bed: number; loud?: boolean; chords?: boolean }): Part {
  const take = rest.shift()!;
  rest.push(take);
  const count = Math.max(4, Math.min(take.pictures.length, Math.round(seconds * framesPerSecond)));
  const from = seededRandom(seed).below(take.pictures.length - count + 1);
  const pictures = take.pictures.slice(from, from + count);
  const words: Word[] = [];
  const titled = titledPictures(take, Array.from({ length: count }, (_, index) => from + index));
  return { kind: isCard(take) ? 'card' : kind, source: `${take.name}+${from}*${count}`, pictures, words, titled, sound: playScene(sound.chords === true ? 'credits' : 'home', count / framesPerSecond, seed, sound) };
}

function painted(kind: ShotKind, seconds: number, seed: number, { bed }: { bed: number }): Part {
  const pictures = paintScene('home', 'pan', Math.round(seconds * framesPerSecond) / framesPerSecond, seed);
  return { kind, source: `painted ${seed}`, pictures, words: [], titled: 0, sound: playScene('home', pictures.length / framesPerSecond, seed, { bed }) };
}

/** A talk of the wanted length; the shorter the take, the slower its pictures, so that the talk is one shot. */
function talk(rest: Take[], seconds: number, seed: number): Part {
  const take = rest.shift()!;
  rest.push(take);
  const count = Math.round(seconds * framesPerSecond);
  const places = Array.from({ length: count }, (_, index) => Math.floor((index / count) * take.pictures.length));
  const pictures = places.map((index) => take.pictures[index]!);
  const words = speak(seconds, seed);
  return { kind: isCard(take) ? 'card' : 'talk', source: `talk ${take.name} ${seed}`, pictures, words, titled: titledPictures(take, places), sound: playScene('home', count / framesPerSecond, seed, { bed: -58, words }) };
}

function isCard({ titleFrom, titleOn }: Take): boolean {
  return titleOn === 'black' && titleFrom === 0;
}

/** @param places indexes of the pictures of a shot in its take */
function titledPictures(take: Take, places: readonly number[]): number {
  return take.titleOn === 'scene' ? places.filter((index) => index >= take.titleFrom).length : 0;
}

function altered(kind: 'dark' | 'blurred', rest: Take[], seconds: number, seed: number): Part {
  const part = real(kind, rest, seconds, seed, { bed: -30, loud: true });
  return { ...part, kind: part.kind === 'card' ? 'card' : kind, source: `${kind} ${part.source}`, pictures: kind === 'dark' ? darken(part.pictures) : blur(part.pictures) };
}

function card(seed: number): Part {
  return { kind: 'card', source: `card ${seed}`, pictures: paintScene('title', 'static', 2, seed), words: [], titled: 0, sound: playScene('title', 2, seed, { bed: -50 }) };
}

function credits(seed: number): Part {
  return { kind: 'credits', source: `credits ${seed}`, pictures: paintScene('credits', 'static', 12, seed), words: [], titled: 0, sound: playScene('credits', 12, seed, { bed: -22 }) };
}

function place(name: string, parts: readonly Part[]): Film {
  let frame = 0;
  const shots = parts.map((part): FilmShot => {
    const start = frame / framesPerSecond;
    frame += part.pictures.length;
    const words = part.words.map((word) => ({ ...word, start: word.start + start, end: word.end + start }));
    return { ...part, words, start, end: frame / framesPerSecond };
  });
  return { name, seconds: frame / framesPerSecond, shots };
}

function shuffled<Element>(random: SeededRandom, list: readonly Element[]): Element[] {
  const rest = [...list];
  for (let index = rest.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    [rest[index], rest[other]] = [rest[other]!, rest[index]!];
  }
  return rest;
}
