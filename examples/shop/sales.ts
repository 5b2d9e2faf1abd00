import { seededRandom } from '@vouch/platform/process/seededRandom';
import { departments, metadataOf, products, type Product } from './products.ts';

const customers = 400;
const days = 60;
const dayMs = 86_400_000;

/** Weight of a product for a customer who uses the shop for one purpose and likes one color. */
function weightOf(product: Product, place: number, use: string, color: string): number {
  const fits = departments[product.department].use === use ? 12 : 1;
  return (fits * (product.color === color ? 3 : 1)) / (1 + (place % 7));
}

/**
 * Makes up the sales of the past 60 days, which a real shop has. Customers mostly want products for one use, in a color that they like.
 * @param nowMs end of the sales
 * @returns the two CSV files of POST /v1/recommender/data_batch
 */
export function exportCsv(nowMs: number): { entitiesCsv: string; interactionsCsv: string } {
  const random = seededRandom(1);
  const uses = [...new Set(Object.values(departments).map(({ use }) => use))];
  const rows: string[] = [];
  for (let customer = 1; customer <= customers; customer += 1) {
    const use = uses[customer % uses.length] ?? '';
    const { color } = random.pick(products);
    const seen = new Set<string>();
    for (let visit = 0; visit < 12; visit += 1) {
      const product = pickBy(products.map((each, place) => weightOf(each, place, use, color)), random.uniform());
      if (seen.has(product.id)) continue;
      seen.add(product.id);
      const time = new Date(nowMs - random.uniform() * days * dayMs).toISOString();
      rows.push(`view,customer-${customer},${product.id},${time},`);
      if (random.uniform() < 0.3) rows.push(`purchase,customer-${customer},${product.id},${time},`);
    }
  }
  const entities = products.map((product) => `${product.id},product,${product.name},${quote(JSON.stringify(metadataOf(product)))},`);
  return {
    entitiesCsv: `id,type,name,metadata,media_url\n${entities.join('\n')}\n`,
    interactionsCsv: `type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`,
  };
}

/** Picks a product in proportion to its weight. */
function pickBy(weights: readonly number[], uniform: number): Product {
  let rest = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  const place = weights.findIndex((weight) => (rest -= weight) < 0);
  return products[Math.max(0, place)] as Product;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
