import { seededRandom, type SeededRandom } from './seededRandom.ts';
import { communities, titlePatterns, type Community } from './sampleWords.ts';

/** One film of the sample with what only the generator knows about it. */
export interface SampleFilm {
  id: string;
  name: string;
  genres: string[];
  year: number;
  /** In the currency of nobody in particular. */
  price: number;
  maker: string;
  minutes: number;
  community: number;
  /** Relative popularity within its community, Zipf-like; 0 for a film that nobody touches. */
  popularity: number;
  /** Popularity multiplies towards the end of the period. */
  rising: boolean;
  /** The film this one continues, or null. */
  sequelOf: string | null;
}

/** How many films of each community are of which kind; 8 communities × 50 = 400 films. */
const filmsPerCommunity = 50;
const coldPerCommunity = 2;
const sequelsPerCommunity = 4;
const risingPerCommunity = 1;

/** Share of films whose maker is one of another community's, so that the maker hints and does not decide. */
const foreignMakerShare = 0.15;

/**
 * Invents the films. Per community: 2 cold ones, 4 sequels, 1 rising one; the rest Zipf-like with exponent 0.8.
 * @param seed seed of every choice
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
  // Ids in shuffled order, so that neither id nor file order gives the community or the popularity away.
  shuffle(random, films);
  renumber(films);
  return films;
}

function describeFilm(random: SeededRandom, community: Community, number: number, currentYear: number): SampleFilm {
  const [first, ...others] = community.genres;
  const makers = random.fraction() < foreignMakerShare ? random.pick(communities).makers : community.makers;
  return {
    id: '',
    name: '',
    genres: [first, ...others.filter(() => random.fraction() < 0.45)],
    // Squared, so that recent years are more frequent: half of the films are of the last 13 years.
    year: currentYear - 1 - Math.floor(50 * random.fraction() ** 2),
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
  // 72 word pairs × 5 patterns for 50 films: a free name comes within a few draws.
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const first = random.pick(community.firstWords);
    const name = random.pick(titlePatterns)(first, random.pick(community.secondWords));
    if (names.has(name)) continue;
    names.add(name);
    return name;
  }
  throw new Error(`no unused name is left for the community ${community.name}`);
}

/** Films at places 2, 4, 6 and 8 get the sequels at places 20 to 23; `sequelOf` holds the name until ids exist. */
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

/** Films from place 30 on: too small to stand out before they rise. */
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
