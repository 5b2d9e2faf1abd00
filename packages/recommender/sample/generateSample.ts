import { csvRecord, entityHeader, interactionHeader } from './csvText.ts';
import { sampleFilms, type SampleFilm } from './sampleCatalogue.ts';
import { seededRandom, type SeededRandom } from '@vouch/platform/process/seededRandom';
import { communities } from './sampleWords.ts';
import { weightedPicker } from './weightedPicker.ts';

const dayMs = 86_400_000;

/** Length of the sample's history before `nowMs`, in days. */
export const sampleDays = 180;
/** The popularity of the planted rising films increases during this many days before `nowMs`. */
export const risingDays = 21;
const risingFactor = 25;

const viewers = 1_200;
/** Number of interaction rows: views, and purchases that follow some views. */
const interactionRows = 40_000;
const purchaseShare = 0.14;
/** A viewer's events: 70 % in the viewer's community, 18 % in a second community, the rest in any community. */
const ownShare = 0.7;
const secondShare = 0.18;
/** Share of a film's viewers who also watch the sequel. */
const sequelShare = 0.6;

interface SampleRequest {
  /** Seed of every random choice; the same seed and time give the same bytes. */
  seed: number;
  /** End of the history in ms since the epoch. */
  nowMs: number;
}

/** Structure of the generated data, which a recommender should find. */
interface SampleTruth {
  communityNames: readonly string[];
  /** Community of each film and of each viewer, by id. */
  communityOfFilm: ReadonlyMap<string, number>;
  communityOfViewer: ReadonlyMap<string, number>;
  nameOfFilm: ReadonlyMap<string, string>;
  /** Films whose popularity multiplies in the last 21 days. */
  risingFilms: readonly string[];
  /** Films without interactions. */
  coldFilms: readonly string[];
  /** Maps the film id of each sequel to the id of the original film; most viewers of the original also watch the sequel. */
  sequelOf: ReadonlyMap<string, string>;
}

export interface Sample {
  /** CSV of 400 films and 1,200 users. */
  entitiesCsv: string;
  /** CSV of 40,000 views and purchases, ordered by time. */
  interactionsCsv: string;
  truth: SampleTruth;
}

interface Interaction {
  type: 'view' | 'purchase';
  viewer: string;
  film: string;
  timeMs: number;
}

/**
 * Generates a film library and its history from a known latent model: communities of taste, Zipf-like popularity, sequels
 * with shared viewers, films that rise at the end, and films without interactions. The sample shows that all parts of the
 * service work together and which answers are right; it does not measure quality on real data.
 * @returns two CSV texts for `POST /v1/recommender/data_batch`, and the structure of the generated data
 * @example
 * const { entitiesCsv, interactionsCsv, truth } = generateSample({ seed: 1, nowMs: Date.now() });
 */
export function generateSample({ seed, nowMs }: SampleRequest): Sample {
  const films = sampleFilms(seed, new Date(nowMs).getUTCFullYear());
  const random = seededRandom(seed ^ 0x5eed_1e55);
  const communityOfViewer = new Map<string, number>();
  for (let number = 1; number <= viewers; number++) {
    communityOfViewer.set(`u${String(number).padStart(4, '0')}`, random.below(communities.length));
  }
  const interactions = drawInteractions(random, films, communityOfViewer, nowMs);
  return {
    entitiesCsv: writeEntities(films, [...communityOfViewer.keys()]),
    interactionsCsv: writeInteractions(interactions),
    truth: {
      communityNames: communities.map((community) => community.name),
      communityOfFilm: new Map(films.map((film) => [film.id, film.community])),
      communityOfViewer,
      nameOfFilm: new Map(films.map((film) => [film.id, film.name])),
      risingFilms: films.filter((film) => film.rising).map((film) => film.id),
      coldFilms: films.filter((film) => film.popularity === 0).map((film) => film.id),
      sequelOf: new Map(films.flatMap((film) => (film.sequelOf === null ? [] : [[film.id, film.sequelOf]]))),
    },
  };
}

/** Draws one film of a community, or of any community (-1); `late` is true for events in the rising period. */
type FilmPicker = (community: number, late: boolean) => SampleFilm;

function filmPicker(random: SeededRandom, films: readonly SampleFilm[]): FilmPicker {
  const pickers = new Map<string, () => SampleFilm>();
  for (const late of [false, true]) {
    for (let community = -1; community < communities.length; community++) {
      const members = films.filter((film) => community === -1 || film.community === community);
      const pick = weightedPicker(members.map((film) => film.popularity * (film.rising && late ? risingFactor : 1)));
      pickers.set(`${community}/${late}`, () => members[pick(random)] as SampleFilm);
    }
  }
  return (community, late) => {
    const pick = pickers.get(`${community}/${late}`);
    if (pick === undefined) throw new Error(`there is no community ${community}`);
    return pick();
  };
}

function drawInteractions(
  random: SeededRandom,
  films: readonly SampleFilm[],
  communityOfViewer: ReadonlyMap<string, number>,
  nowMs: number,
): Interaction[] {
  const pickFilm = filmPicker(random, films);
  const sequelOfFilm = new Map(films.flatMap((film) => (film.sequelOf === null ? [] : [[film.sequelOf, film.id]])));
  const ids = [...communityOfViewer.keys()];
  const secondOfViewer = new Map(ids.map((viewer) => [viewer, random.below(communities.length)]));
  // Log-normal activity with sigma 0.6: the most active tenth of viewers makes about a quarter of the events.
  const pickViewer = weightedPicker(ids.map(() => Math.exp(0.6 * random.normal())));
  const seen = new Set<string>();
  const interactions: Interaction[] = [];

  const watch = (viewer: string, film: string, timeMs: number): boolean => {
    if (seen.has(`${viewer} ${film}`) || timeMs >= nowMs) return false;
    seen.add(`${viewer} ${film}`);
    interactions.push({ type: 'view', viewer, film, timeMs });
    const boughtMs = timeMs + 60_000 * (90 + random.below(600));
    if (random.uniform() < purchaseShare && boughtMs < nowMs) {
      interactions.push({ type: 'purchase', viewer, film, timeMs: boughtMs });
    }
    return true;
  };

  // A pair that was already drawn is drawn again. The limit only stops a sample that can never be filled.
  for (let draw = 0; draw < 10 * interactionRows && interactions.length < interactionRows; draw++) {
    const viewer = ids[pickViewer(random)] as string;
    const agoMs = 1 + random.below(sampleDays * dayMs - 1);
    const taste = random.uniform();
    const community = taste < ownShare ? communityOfViewer.get(viewer) : secondOfViewer.get(viewer);
    const film = pickFilm(taste < ownShare + secondShare ? (community ?? -1) : -1, agoMs < risingDays * dayMs);
    const watched = watch(viewer, film.id, nowMs - agoMs);
    const sequel = sequelOfFilm.get(film.id);
    if (watched && sequel !== undefined && random.uniform() < sequelShare) {
      watch(viewer, sequel, nowMs - agoMs + dayMs * (1 + random.below(3)));
    }
  }
  // The sort is stable, so events with equal times keep their drawing order and the bytes are reproducible.
  return interactions.slice(0, interactionRows).sort((left, right) => left.timeMs - right.timeMs);
}

function writeEntities(films: readonly SampleFilm[], users: readonly string[]): string {
  const lines = [entityHeader];
  for (const { id, name, genres, year, price, maker, minutes } of films) {
    const metadata = JSON.stringify({ genres, year, price: Number(price.toFixed(2)), maker, minutes });
    lines.push(csvRecord([id, 'film', name, metadata, '']));
  }
  for (const user of users) lines.push(csvRecord([user, 'user', `Viewer ${Number(user.slice(1))}`, '', '']));
  return `${lines.join('\n')}\n`;
}

function writeInteractions(interactions: readonly Interaction[]): string {
  const lines = [interactionHeader];
  for (const { type, viewer, film, timeMs } of interactions) {
    lines.push(csvRecord([type, viewer, film, new Date(timeMs).toISOString(), '']));
  }
  return `${lines.join('\n')}\n`;
}
