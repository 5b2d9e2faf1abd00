import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The two upload files, and the names of the films by entity id. */
export interface ConvertedMovies {
  entitiesCsv: string;
  interactionsCsv: string;
  names: Map<string, string>;
}

/**
 * Reads CSV text with a header by RFC 4180: quoted fields may hold commas, doubled quotes and line breaks.
 * @returns one object per record, keyed by the header's names
 * @throws Error with the record's number where its fields do not match the header
 */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...records] = splitRecords(text.replace(/^\uFEFF/, ''));
  return records.map((record, position) => {
    if (record.length !== header.length) {
      throw new Error(`record ${position + 1} has ${record.length} fields, the header has ${header.length}`);
    }
    return Object.fromEntries(header.map((name, column) => [name, record[column] ?? '']));
  });
}

function splitRecords(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  // One field with the separator that ends it; sticky, so that nothing between two fields is skipped.
  const fieldPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (fieldPattern.lastIndex < text.length) {
    const start = fieldPattern.lastIndex;
    const match = fieldPattern.exec(text);
    if (match === null) throw new Error(`a quote near "${text.slice(start, start + 40)}" is not closed`);
    record.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') records.push(record.splice(0));
  }
  return records;
}

/**
 * Splits a MovieLens title: `Bug's Life, A (1998)` is the name `Bug's Life, A` and the year 1998. The catalogue's
 * inverted article stays, since titles with translations in brackets cannot be turned back reliably. Series carry
 * ranges such as `(2007-)`, of which the first year counts; a few titles have no year.
 */
export function splitTitle(title: string): { name: string; year: number | null } {
  const match = /^(.*\S)\s*\((\d{4})(?:-(?:\d{4})?)?\)\s*$/s.exec(title);
  if (match === null) return { name: title.trim(), year: null };
  return { name: match[1] as string, year: Number(match[2]) };
}

function csvRecord(fields: readonly string[]): string {
  return fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

/**
 * Converts the texts of `movies.csv` and `ratings.csv` of MovieLens: films become entities of type `movie` with their
 * genres and year as metadata, ratings become interactions of type `rating` of users with films.
 */
export function convertMovies(moviesCsv: string, ratingsCsv: string): ConvertedMovies {
  const names = new Map<string, string>();
  const entities = ['id,type,name,metadata,media_url'];
  for (const { movieId = '', title = '', genres = '' } of parseCsv(moviesCsv)) {
    const { name, year } = splitTitle(title);
    names.set(`m${movieId}`, name);
    const metadata = {
      ...(genres === '(no genres listed)' ? {} : { genres: genres.split('|') }),
      ...(year === null ? {} : { year }),
    };
    entities.push(csvRecord([`m${movieId}`, 'movie', name, JSON.stringify(metadata), '']));
  }
  const interactions = ['type,source_id,target_id,timestamp,metadata'];
  for (const { userId = '', movieId = '', rating = '', timestamp = '' } of parseCsv(ratingsCsv)) {
    interactions.push(csvRecord(['rating', `u${userId}`, `m${movieId}`, timestamp, `{"rating":${Number(rating)}}`]));
  }
  return { entitiesCsv: `${entities.join('\n')}\n`, interactionsCsv: `${interactions.join('\n')}\n`, names };
}

/** Reads a MovieLens folder. @throws Error with a sentence where a file is missing */
export async function convertFolder(folder: string): Promise<ConvertedMovies> {
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(join(folder, name), 'utf8');
    } catch (error) {
      throw new Error(`${join(folder, name)} cannot be read; name the unpacked folder ml-latest-small.`, { cause: error });
    }
  };
  return convertMovies(await read('movies.csv'), await read('ratings.csv'));
}

async function main(folder: string | undefined, target: string | undefined): Promise<void> {
  if (folder === undefined || target === undefined) {
    throw new Error('Usage: npx tsx examples/movies/convert.ts <folder of ml-latest-small> <folder for the result>');
  }
  const converted = await convertFolder(folder);
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'entities.csv'), converted.entitiesCsv);
  await writeFile(join(target, 'interactions.csv'), converted.interactionsCsv);
  console.log(`${converted.names.size} films are in ${join(target, 'entities.csv')}, ` +
    `${converted.interactionsCsv.split('\n').length - 2} ratings in ${join(target, 'interactions.csv')}.`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv[2], process.argv[3]).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
