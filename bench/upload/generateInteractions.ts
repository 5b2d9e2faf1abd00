import { closeSync, openSync, writeSync } from 'node:fs';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';

const types = ['view', 'view', 'view', 'purchase', 'rating', '"add to cart"', ''];

function timestamp(fraction: () => number): string {
  const seconds = 1_500_000_000 + Math.floor(fraction() * 200_000_000);
  const form = fraction();
  if (form < 0.6) return String(seconds);
  if (form < 0.75) return String(seconds * 1000 + Math.floor(fraction() * 1000));
  const iso = new Date(seconds * 1000).toISOString();
  if (form < 0.8) return iso.slice(0, 10);
  if (form < 0.86) return iso.slice(0, 19);
  if (form < 0.92) return `${iso.slice(0, 19)}+02:00`;
  return '';
}

function metadata(fraction: () => number): string {
  const kind = fraction();
  if (kind < 0.9) return '';
  if (kind < 0.98) return `"{""rating"":${1 + Math.floor(fraction() * 5)}}"`;
  return `"{""note"":""seen, ${Math.floor(fraction() * 1000)} times"",\n""tags"":[""a"",""b""]}"`;
}

/**
 * Writes a CSV file of interactions with quoted fields, empty fields, quoted line breaks and five kinds of timestamps. A row has
 * about 37 bytes; a tenth of the rows have metadata. The same seed and number of rows give the same bytes.
 * @param path file to write
 * @param rows number of data rows
 * @param seed seed of the generator
 */
export function generateInteractions(path: string, rows: number, seed: number): void {
  const random = seededRandom(seed);
  const fraction = (): number => random.uniform();
  const file = openSync(path, 'w');
  try {
    let text = 'type,source_id,target_id,timestamp,metadata\n';
    for (let row = 0; row < rows; row++) {
      const type = types[Math.floor(fraction() * types.length)];
      const user = Math.floor(fraction() * 200_000);
      const item = Math.floor(fraction() ** 2 * 100_000);
      const target = fraction() < 0.05 ? `"item ""${item}"""` : `i${item}`;
      text += `${type},u${user},${target},${timestamp(fraction)},${metadata(fraction)}\n`;
      if (text.length > 1 << 20) {
        writeSync(file, text);
        text = '';
      }
    }
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}
