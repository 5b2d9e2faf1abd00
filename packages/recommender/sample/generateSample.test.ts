import { describe, expect, it } from 'vitest';
import { csvRecord } from './csvText.ts';
import { generateSample, risingDays, sampleDays } from './generateSample.ts';

const nowMs = Date.UTC(2026, 5, 1, 12);
const dayMs = 86_400_000;
const sample = generateSample({ seed: 7, nowMs });

/** An independent reader of RFC 4180 records. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let quoted = false;
  for (let place = 0; place < text.length; place++) {
    const letter = text[place] as string;
    if (quoted && letter === '"' && text[place + 1] === '"') field += text[++place];
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && (letter === ',' || letter === '\n')) {
      record.push(field);
      field = '';
      if (letter === '\n') records.push(record.splice(0));
    } else field += letter;
  }
  if (quoted || field !== '' || record.length > 0) throw new Error('the text ends inside a record');
  return records;
}

const entities = parseCsv(sample.entitiesCsv);
const interactions = parseCsv(sample.interactionsCsv);
const events = interactions.slice(1).map(([type = '', viewer = '', film = '', time = '']) => ({
  type, viewer, film, timeMs: Date.parse(time),
}));

function audiences(): Map<string, Set<string>> {
  const byFilm = new Map<string, Set<string>>();
  for (const { viewer, film } of events) byFilm.set(film, (byFilm.get(film) ?? new Set()).add(viewer));
  return byFilm;
}

/** Cosine of the audiences of two films. */
function cosine(left: Set<string>, right: Set<string>): number {
  let both = 0;
  for (const viewer of left) if (right.has(viewer)) both++;
  return both / Math.sqrt(left.size * right.size);
}

describe('the sample catalogue', () => {
  it('gives the same bytes for the same seed and time, and others for another seed', () => {
    const again = generateSample({ seed: 7, nowMs });
    expect(again.entitiesCsv === sample.entitiesCsv).toBe(true);
    expect(again.interactionsCsv === sample.interactionsCsv).toBe(true);
    expect(generateSample({ seed: 8, nowMs }).interactionsCsv === sample.interactionsCsv).toBe(false);
  });

  it('writes files that a CSV reader takes apart into the documented columns', () => {
    expect(entities[0]).toEqual(['id', 'type', 'name', 'metadata', 'media_url']);
    expect(interactions[0]).toEqual(['type', 'source_id', 'target_id', 'timestamp', 'metadata']);
    expect(new Set(entities.map((record) => record.length))).toEqual(new Set([5]));
    expect(new Set(interactions.map((record) => record.length))).toEqual(new Set([5]));
    const films = entities.filter((record) => record[1] === 'film');
    expect(films.length).toBe(400);
    for (const [id = '', , name, metadata = ''] of films) {
      expect(name).toBe(sample.truth.nameOfFilm.get(id));
      expect(Object.keys(JSON.parse(metadata) as object)).toEqual(['genres', 'year', 'price', 'maker', 'minutes']);
    }
    expect(films.some((record) => record[2]?.includes('"'))).toBe(true);
    expect(films.some((record) => record[2]?.includes(','))).toBe(true);
  });

  it('has unique ids and unique film names', () => {
    const ids = entities.slice(1).map((record) => record[0]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(sample.truth.nameOfFilm.values()).size).toBe(400);
  });

  it('has 40,000 interactions of known films and viewers within 180 days before now, in time order', () => {
    expect(events.length).toBe(40_000);
    let previous = 0;
    for (const { type, viewer, film, timeMs } of events) {
      if (timeMs < previous || timeMs >= nowMs || timeMs < nowMs - sampleDays * dayMs) throw new Error(`time ${timeMs}`);
      if (!sample.truth.communityOfFilm.has(film)) throw new Error(`film ${film}`);
      if (!sample.truth.communityOfViewer.has(viewer)) throw new Error(`viewer ${viewer}`);
      if (type !== 'view' && type !== 'purchase') throw new Error(`type ${type}`);
      previous = timeMs;
    }
  });

  it('lets audiences overlap within a community far more than across', () => {
    const byFilm = audiences();
    const films = [...byFilm.keys()].filter((film) => (byFilm.get(film)?.size ?? 0) >= 30);
    const sums = { within: [0, 0], across: [0, 0] } satisfies Record<string, [number, number]>;
    for (const left of films) {
      for (const right of films) {
        if (left >= right) continue;
        const same = sample.truth.communityOfFilm.get(left) === sample.truth.communityOfFilm.get(right);
        const sum = same ? sums.within : sums.across;
        sum[0] += cosine(byFilm.get(left) as Set<string>, byFilm.get(right) as Set<string>);
        sum[1]++;
      }
    }
    expect(films.length).toBeGreaterThan(100);
    expect(sums.within[0] / sums.within[1]).toBeGreaterThan((3 * sums.across[0]) / sums.across[1]);
  });

  it('makes the original the nearest film of most sequels', () => {
    const byFilm = audiences();
    let nearest = 0;
    for (const [sequel, original] of sample.truth.sequelOf) {
      const own = byFilm.get(sequel) as Set<string>;
      const best = [...byFilm.keys()]
        .filter((film) => film !== sequel)
        .map((film) => ({ film, value: cosine(own, byFilm.get(film) as Set<string>) }))
        .reduce((left, right) => (right.value > left.value ? right : left));
      if (best.film === original) nearest++;
    }
    expect(sample.truth.sequelOf.size).toBe(32);
    expect(nearest).toBeGreaterThanOrEqual(24);
  });

  it('leaves the cold films untouched and touches all others', () => {
    const touched = new Set(events.map((event) => event.film));
    expect(sample.truth.coldFilms.length).toBe(16);
    expect(sample.truth.coldFilms.filter((film) => touched.has(film))).toEqual([]);
    expect(touched.size).toBe(400 - 16);
  });

  it('makes the planted films, and only those, multiply in the last days', () => {
    const late = new Map<string, number>();
    const early = new Map<string, number>();
    for (const { film, timeMs } of events) {
      const counts = timeMs >= nowMs - risingDays * dayMs ? late : early;
      counts.set(film, (counts.get(film) ?? 0) + 1);
    }
    // 21 of 180 days are late, so a film with constant popularity has 0.13 late events per early event.
    const growth = (film: string): number => (late.get(film) ?? 0) / ((early.get(film) ?? 0) + 10);
    expect(sample.truth.risingFilms.length).toBe(8);
    for (const film of sample.truth.risingFilms) expect(growth(film)).toBeGreaterThan(0.8);
    for (const film of early.keys()) {
      if (!sample.truth.risingFilms.includes(film)) expect(growth(film)).toBeLessThan(0.5);
    }
  });
});

describe('a CSV record', () => {
  it('quotes commas, quotes and line breaks and leaves plain fields alone', () => {
    expect(csvRecord(['a', 'b,c', 'say "x"', 'two\nlines', ''])).toBe('a,"b,c","say ""x""","two\nlines",');
  });
});
