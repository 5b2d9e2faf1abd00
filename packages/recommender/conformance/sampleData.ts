/**
 * A small data set with known answers: two kinds of films with separate audiences, series for the audience of the first kind,
 * and a film and a user without interactions. There are more than 100 films, so that a default limit of 100 is visible.
 */
export const scienceFiction = Array.from({ length: 70 }, (_, index) => `scifi-${index}`);
export const romance = Array.from({ length: 60 }, (_, index) => `romance-${index}`);
export const films = [...scienceFiction, ...romance];
export const series = Array.from({ length: 12 }, (_, index) => `series-${index}`);
/** An entity without interactions, with the metadata of the first kind. */
export const coldFilm = 'scifi-new';
/** An entity without interactions whose type is never a target. */
export const newcomer = 'user-new';
/** An id in interactions only, without an entity row. */
export const unlisted = 'film, unlisted';
/** A film with far more views in the last days than before. */
export const risingFilm = 'romance-7';
export const fans = Array.from({ length: 40 }, (_, index) => `fan-${index}`);
export const lovers = Array.from({ length: 40 }, (_, index) => `lover-${index}`);

/** Time of the newest interaction in ms. */
const newest = Date.UTC(2025, 5, 30);
const dayMs = 86_400_000;
const viewsEach = 24;

export const entityHeader = 'id,type,name,metadata,media_url';
export const interactionHeader = 'type,source_id,target_id,timestamp,metadata';

/** CSV of all entities; `names` replaces the names of some entities. */
export function entitiesCsv(names: Readonly<Record<string, string>> = {}): string {
  const rows = [
    ...[...scienceFiction, coldFilm].map((id) => film(id, 'scifi', names)),
    ...romance.map((id) => film(id, 'romance', names)),
    ...series.map((id) => `${id},series,${nameOf(id, names)},"{""genre"":""scifi""}",`),
    ...[...fans, newcomer].map((id) => `${id},user,,,`),
  ];
  return `${entityHeader}\n${rows.join('\n')}\n`;
}

function film(id: string, genre: string, names: Readonly<Record<string, string>>): string {
  const metadata = `"{""genre"":""${genre}"",""studio"":""${genre}-works""}"`;
  return `${id},film,${nameOf(id, names)},${metadata},https://media.example/${id}.mp4`;
}

function nameOf(id: string, names: Readonly<Record<string, string>>): string {
  return `"${(names[id] ?? `Name of ${id}`).replaceAll('"', '""')}"`;
}

/** CSV of all interactions. The items of `fan-0` are exactly `historyOf('fan-0')`. */
export function interactionsCsv(): string {
  const rows: string[] = [];
  for (const [number, fan] of fans.entries()) {
    for (const [order, id] of seenBy(number, scienceFiction, series).entries()) rows.push(view(fan, id, number, order));
  }
  for (const [number, lover] of lovers.entries()) {
    for (const [order, id] of seenBy(number, romance, []).entries()) rows.push(view(lover, id, number, order));
    rows.push(`view,${lover},${risingFilm},${new Date(newest - (number % 3) * dayMs).toISOString()},`);
    if (number < 6) rows.push(`view,${lover},"${unlisted}",,`);
  }
  return `${interactionHeader}\n${rows.join('\n')}\n`;
}

/** The items that a fan has watched. */
export function historyOf(fan: string): string[] {
  return seenBy(fans.indexOf(fan), scienceFiction, series);
}

/** Films at a different stride for each user, and a few films of the other list. */
function seenBy(number: number, own: readonly string[], also: readonly string[]): string[] {
  const seen = new Set<string>();
  for (let at = 0; at < viewsEach; at += 1) seen.add(own[(number * 7 + at * (1 + (number % 3))) % own.length] ?? '');
  for (let at = 0; at < 3 && also.length > 0; at += 1) seen.add(also[(number + at) % also.length] ?? '');
  return [...seen].filter((id) => id !== risingFilm);
}

function view(source: string, target: string, number: number, order: number): string {
  const age = 30 + ((number * 13 + order * 5) % 300);
  return `view,${source},${target},${new Date(newest - age * dayMs).toISOString()},`;
}
