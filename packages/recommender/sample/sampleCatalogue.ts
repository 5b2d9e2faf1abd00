import { seededRandom, type SeededRandom } from '@vouch/platform/process/seededRandom';
import { communities, titlePatterns, type Community } from './sampleWords.ts';

/** One film of the sample, including properties that only the generator knows. */
export interface SampleFilm {
  id: string;
  name: string;
  genres: string[];
  year: number;
  /** Price without a currency. */
  price: number;
  maker: string;
  minutes: number;
  community: number;
  /** Relative popularity within the community, Zipf-like; 0 for a film without interactions. */
  popularity: number;
  /** Whether popularity multiplies towards the end of the period. */
  rising: boolean;
  /** The film that this film continues, or null. */
  sequelOf: string | null;
}

/** Number of films per community and kind; 8 communities × 50 = 400 films. */
const filmsPerCommunity = 50;
const coldPerCommunity = 2;
const sequelsPerCommunity = 4;
const risingPerCommunity = 1;

/** Share of films with a maker of another community, so that the maker alone does not determine the community. */
const foreignMakerShare = 0.15;

/**
 * Generates the films. Each community has 2 cold films, 4 sequels and 1 rising film; popularity is Zipf-like with exponent
 * 0.8.
 * @param seed seed of every random choice
 * @param currentYear year of the newest films
 */
export function sampleFilms(seed: number, currentYear: number): SampleFilm[] {
  const random = seededRandom(seed);
  const films: SampleFilm[] = [];
  const names = new Set<string>();
  communities.forEach((community, number) => {
    const own: SampleFilm[] = [];
    for (let place = 0; place < filmsPerCommunity; place++) {
      const film = describeFilm(random, community, number, currentYear);
      film.name = unusedName(random, community, names);
      film.popularity = 1 / (place + 1) ** 0.8;
      own.push(film);
    }
    plantSequels(own, names, currentYear);
    plantRising(own, currentYear);
    for (const film of own.slice(-coldPerCommunity)) film.popularity = 0;
    films.push(...own);
  });
  // Ids are assigned in shuffled order, so that neither id nor file order reveals the community or the popularity.
  shuffle(random, films);
  renumber(films);
  return films;
}

function describeFilm(random: SeededRandom, community: Community, number: number, currentYear: number): SampleFilm {
  const [first, ...others] = community.genres;
  const makers = random.uniform() < foreignMakerShare ? random.pick(communities).makers : community.makers;
  return {
    id: '',
    name: '',
    genres: [first, ...others.filter(() => random.uniform() < 0.45)],
    // Squared, so that recent years are more frequent: half of the films are from the last 13 years.
    year: currentYear - 1 - Math.floor(50 * random.uniform() ** 2),
    price: 2.99 + random.below(18),
    maker: random.pick(makers),
    minutes: 75 + random.below(80),
    community: number,
    popularity: 0,
    rising: false,
    sequelOf: null,
  };
}

function unusedName(random: SeededRandom, community: Community, names: Set<string>): string {
  // 72 word pairs × 5 patterns for 50 films, so an unused name is found within a few draws.
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const first = random.pick(community.firstWords);
    const name = random.pick(titlePatterns)(first, random.pick(community.secondWords));
    if (names.has(name)) continue;
    names.add(name);
    return name;
  }
  throw new Error(`no unused name is left for the community ${community.name}`);
}

/**
 * Makes the films at positions 20 to 23 sequels of the films at positions 2, 4, 6 and 8. `sequelOf` contains the name until
 * ids exist.
 */
function plantSequels(own: SampleFilm[], names: Set<string>, currentYear: number): void {
  for (let number = 0; number < sequelsPerCommunity; number++) {
    const original = own[2 + 2 * number] as SampleFilm;
    const sequel = own[20 + number] as SampleFilm;
    names.delete(sequel.name);
    sequel.name = `${original.name}, Part Two`;
    names.add(sequel.name);
    sequel.sequelOf = original.name;
    sequel.maker = original.maker;
    sequel.genres = [...original.genres];
    sequel.year = Math.min(currentYear - 1, original.year + 3);
  }
}

/** Makes films from position 30 on rise; their popularity is too small to be noticeable before. */
function plantRising(own: SampleFilm[], currentYear: number): void {
  for (const film of own.slice(30, 30 + risingPerCommunity)) {
    film.rising = true;
    film.year = currentYear;
  }
}

function shuffle(random: SeededRandom, films: SampleFilm[]): void {
  for (let last = films.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [films[last], films[other]] = [films[other] as SampleFilm, films[last] as SampleFilm];
  }
}

function renumber(films: SampleFilm[]): void {
  films.forEach((film, position) => (film.id = `f${String(position + 1).padStart(4, '0')}`));
  const idOfName = new Map(films.map((film) => [film.name, film.id]));
  for (const film of films) film.sequelOf = film.sequelOf === null ? null : (idOfName.get(film.sequelOf) ?? null);
}
