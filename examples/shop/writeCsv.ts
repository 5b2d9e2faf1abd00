// Writes the catalogue and the sales of the shop as CSV files. Usage: npx tsx examples/shop/writeCsv.ts FOLDER
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportCsv } from './sales.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: npx tsx examples/shop/writeCsv.ts FOLDER');
  process.exit(2);
}
const { entitiesCsv, interactionsCsv } = exportCsv(Date.now());
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'products.csv'), entitiesCsv);
await writeFile(join(folder, 'sales.csv'), interactionsCsv);
console.log(`Wrote ${join(folder, 'products.csv')} and ${join(folder, 'sales.csv')}.`);
