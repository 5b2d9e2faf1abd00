import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { csvRecord, entityHeader, interactionHeader } from '../../packages/recommender/sample/csvText.ts';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';

/** Size and variant of a synthetic catalogue. */
export interface CatalogueShape {
  items: number;
  users: number;
  interactions: number;
  seed: number;
  /** Adds quoted metadata, empty fields and five kinds of timestamps, as found in real uploads. */
  messy?: boolean;
}

/** Number of groups of items and users with a common taste. The groups give a model structure to learn. */
const tastes = 20;
/** Share of a user's interactions with items of the user's own group. */
const ownTasteShare = 0.75;
/**
 * Exponents of the power laws: rank r has the weight r^-exponent. Kept below 1, where the inversion in `powerLawRank` is exact.
 */
const itemExponent = 0.8;
const userExponent = 0.5;
/** Newest timestamp: 2026-01-01. The history covers one year. */
const newestMs = Date.UTC(2026, 0, 1);
const historySeconds = 31_536_000;
/** Rows are yielded in pieces of about this many characters, because the overhead of streams dominates for single rows. */
const pieceLength = 65_536;

/** Yields the entity file in pieces of text: `items` rows of type item. The same shape gives the same bytes. */
export function* entityPieces({ items, seed }: CatalogueShape): Generator<string> {
  const random = seededRandom(seed);
  let piece = `${entityHeader}\n`;
  for (let item = 0; item < items; item++) {
    const metadata = JSON.stringify({
      category: `category ${item % tastes}`, maker: `maker ${random.below(500)}`, price: random.below(10_000) / 100,
    });
    piece += `${csvRecord([`i${item}`, 'item', `Item "${item}", kind ${item % tastes}`, metadata, ''])}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Yields the interaction file in pieces of text, in constant memory. Users and items follow power laws within their groups. */
export function* interactionPieces(shape: CatalogueShape): Generator<string> {
  checkShape(shape);
  const { items, users, interactions, seed, messy = false } = shape;
  const random = seededRandom(seed + 1);
  const itemsPerTaste = Math.floor(items / tastes);
  let piece = `${interactionHeader}\n`;
  for (let row = 0; row < interactions; row++) {
    const user = powerLawRank(random.uniform(), users, userExponent);
    const taste = random.uniform() < ownTasteShare ? user % tastes : random.below(tastes);
    const item = powerLawRank(random.uniform(), itemsPerTaste, itemExponent) * tastes + taste;
    const secondsAgo = random.below(historySeconds);
    piece += messy
      ? messyRow(row, user, item, newestMs / 1000 - secondsAgo)
      : `view,u${user},i${item},${newestMs / 1000 - secondsAgo},\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/**
 * Returns a rank, starting from 0, with probability proportional to (rank + 1)^-exponent, by inverting the distribution function
 * of the continuous law. Uses no table, so memory does not grow with the number of ranks.
 * @param fraction uniform random number, 0 to 1
 */
export function powerLawRank(fraction: number, ranks: number, exponent: number): number {
  const power = 1 - exponent;
  const place = (1 + fraction * ((ranks + 1) ** power - 1)) ** (1 / power);
  return Math.min(ranks - 1, Math.floor(place) - 1);
}

function messyRow(row: number, user: number, item: number, seconds: number): string {
  const metadata = row % 3 === 0 ? '' : JSON.stringify({ rating: (row % 5) + 1, note: `said "fine", row ${row}` });
  return `${csvRecord([row % 4 === 0 ? 'purchase' : 'view', `u${user}`, `i${item}`, messyTime(row, seconds), metadata])}\n`;
}

function messyTime(row: number, seconds: number): string {
  switch (row % 5) {
    case 0: return String(seconds);
    case 1: return String(seconds * 1000);
    case 2: return new Date(seconds * 1000).toISOString();
    case 3: return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, '');
    default: return '';
  }
}

function checkShape({ items, users, interactions }: CatalogueShape): void {
  if (items < tastes || users < 1 || interactions < 0) {
    throw new Error(`items must be at least ${tastes}, users at least 1; got ${items} items, ${users} users`);
  }
}

/**
 * Writes `entities.csv` and `interactions.csv` into a folder, creates the folder if missing, and returns the paths of both files.
 */
export async function writeCatalogue(shape: CatalogueShape, folder: string): Promise<{ entities: string; interactions: string }> {
  await mkdir(folder, { recursive: true });
  const paths = { entities: join(folder, 'entities.csv'), interactions: join(folder, 'interactions.csv') };
  await pipeline(Readable.from(entityPieces(shape)), createWriteStream(paths.entities));
  await pipeline(Readable.from(interactionPieces(shape)), createWriteStream(paths.interactions));
  return paths;
}

async function main(): Promise<void> {
  const { values } = parseCommandLine({
    options: {
      items: { type: 'string', default: '10000' },
      users: { type: 'string', default: '50000' },
      interactions: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      messy: { type: 'boolean', default: false },
      out: { type: 'string', default: 'data/generated' },
    },
  });
  const shape = {
    items: Number(values.items), users: Number(values.users), interactions: Number(values.interactions),
    seed: Number(values.seed), messy: values.messy,
  };
  console.log(await writeCatalogue(shape, values.out));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
