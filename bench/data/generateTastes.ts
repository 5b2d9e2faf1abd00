import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { interactionHeader } from '../../packages/recommender/sample/csvText.ts';

/** Size of generated interactions. */
export interface TasteShape {
  users: number;
  items: number;
  /** Mean number of interactions a user. */
  perUser: number;
  seed: number;
}

/** Sizes by interactions a user, from data of a new shop to data of a music service. */
export const tasteShapes: Readonly<Record<string, Omit<TasteShape, 'seed'>>> = {
  3: { perUser: 3, users: 12_000, items: 3_000 },
  6: { perUser: 6, users: 10_000, items: 3_000 },
  20: { perUser: 20, users: 4_000, items: 2_500 },
  60: { perUser: 60, users: 1_500, items: 2_000 },
};

interface Item {
  niches: number[];
  /** Popularity before age: log-normal, so that few items have most interactions. */
  appeal: number;
  /** Share of the period after which the item exists; negative for items that exist from the beginning. */
  launched: number;
  /** Next part of a series, -1 if there is none. */
  next: number;
}

const themes = 9;
const nichesPerTheme = 8;
const niches = themes * nichesPerTheme;
const appealSpread = 1.3;
/** Popularity of an item that was launched within the period falls to 1/e in this share of the period, and to `oldAppeal` at least. */
const novelty = 0.15;
const oldAppeal = 0.25;
const seriesShare = 0.3;
const longestSeries = 6;
const secondNicheShare = 0.2;
const launchedLaterShare = 0.4;
/** Shares of what a user takes next: the next part of a series, an item that is popular everywhere, an item of another niche of the theme. */
const follows = 0.5;
const everywhere = 0.12;
const sameTheme = 0.2;
/** A user stays with a niche within a session; this is the probability that the session goes on. */
const staysInSession = 0.6;
/** The period of the interactions, in ms. */
export const periodMs = 365 * 86_400_000;
export const startMs = Date.UTC(2025, 0, 1);

/**
 * Yields a CSV file of interactions with timestamps. Items belong to niches of themes, some to two, have log-normal popularity that
 * falls after their launch, and form series; users have a few niches, take items in sessions, follow series, and take what is popular.
 * No item vectors are drawn.
 * The same shape gives the same bytes.
 */
export function* tastePieces(shape: TasteShape): Generator<string> {
  const random = seededRandom(shape.seed);
  const items = drawItems(shape.items, random);
  const shelves = Array.from({ length: niches }, (_, niche) => shelfOf(items, [...items.keys()].filter((item) => items[item]?.niches.includes(niche))));
  const all = shelfOf(items, [...items.keys()]);
  yield `${interactionHeader}\n`;
  for (let user = 0; user < shape.users; user++) yield historyOf(user, shape.perUser, items, shelves, all, random);
}

/** The items of `tastePieces` with the same shape, as entities: their metadata name their niches and themes. */
export function tasteEntities({ items, seed }: TasteShape): { id: string; type: string; name: string; metadata: string }[] {
  return drawItems(items, seededRandom(seed)).map(({ niches: own }, item) => {
    const metadata = { niche: own.map((niche) => `niche ${niche}`), theme: own.map((niche) => `theme ${Math.floor(niche / nichesPerTheme)}`) };
    return { id: `i${item}`, type: 'item', name: '', metadata: JSON.stringify(metadata) };
  });
}

function drawItems(count: number, random: SeededRandom): Item[] {
  const items: Item[] = [];
  while (items.length < count) {
    const niche = Math.floor(niches * random.uniform() ** 1.5);
    const parts = random.uniform() < seriesShare ? 2 + random.below(longestSeries - 1) : 1;
    const appeal = Math.exp(appealSpread * random.normal());
    const first = random.uniform() < launchedLaterShare ? random.uniform() : random.uniform() - 1;
    for (let part = 0; part < parts && items.length < count; part++) {
      const second = random.uniform() < secondNicheShare ? [random.below(niches)] : [];
      const next = part + 1 < parts && items.length + 1 < count ? items.length + 1 : -1;
      items.push({ niches: [niche, ...second], appeal: appeal * Math.exp(0.4 * random.normal()), launched: first + part * 0.08, next });
    }
  }
  return items;
}

/** Items with their appeal summed up, so that an item is drawn by bisection. */
interface Shelf {
  items: number[];
  sums: Float64Array;
}

function shelfOf(all: readonly Item[], items: number[]): Shelf {
  const sums = new Float64Array(items.length);
  let sum = 0;
  items.forEach((item, place) => (sums[place] = sum += all[item]?.appeal ?? 0));
  return { items, sums };
}

function drawFrom({ items, sums }: Shelf, random: SeededRandom): number {
  const wanted = random.uniform() * (sums.at(-1) ?? 0);
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] as number) > wanted) high = middle;
    else low = middle + 1;
  }
  return items[low] ?? -1;
}

function historyOf(user: number, perUser: number, items: readonly Item[], shelves: readonly Shelf[], all: Shelf, random: SeededRandom): string {
  const own = Array.from({ length: 1 + random.below(4) }, () => random.below(niches));
  // Log-normal with mean perUser; everybody has at least two, so that one can be held out.
  const count = Math.max(2, Math.round(perUser * Math.exp(0.7 * random.normal() - 0.245)));
  let at = random.uniform() * 0.9;
  const step = (1 - at) / count;
  const seen = new Set<number>();
  let niche = random.pick(own);
  let previous = -1;
  let text = '';
  for (let tries = 0; seen.size < count && tries < 20 * count; tries++) {
    const item = nextItem(items[previous], niche, shelves, all, random);
    if (seen.has(item) || !isWanted(items[item], at, random)) continue;
    seen.add(item);
    text += `view,u${user},i${item},${Math.round(startMs + at * periodMs)},\n`;
    previous = item;
    const stays = random.uniform() < staysInSession;
    if (!stays) niche = random.pick(own);
    at += stays ? step / 100 : 2 * step * random.uniform();
  }
  return text;
}

function nextItem(previous: Item | undefined, niche: number, shelves: readonly Shelf[], all: Shelf, random: SeededRandom): number {
  if (previous !== undefined && previous.next >= 0 && random.uniform() < follows) return previous.next;
  const chance = random.uniform();
  if (chance < everywhere) return drawFrom(all, random);
  const theme = Math.floor(niche / nichesPerTheme);
  const from = chance < everywhere + sameTheme ? theme * nichesPerTheme + random.below(nichesPerTheme) : niche;
  const shelf = shelves[from];
  return drawFrom(shelf === undefined || shelf.items.length === 0 ? all : shelf, random);
}

/** Rejects items that do not exist yet, and old items with a probability. */
function isWanted(item: Item | undefined, at: number, random: SeededRandom): boolean {
  if (item === undefined || item.launched > at) return false;
  if (item.launched < 0) return true;
  return random.uniform() < Math.max(oldAppeal, Math.exp((item.launched - at) / novelty));
}
