import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';

/** Size of a simulated shop. */
export interface ShopShape {
  days: number;
  sessionsPerDay: number;
  /** Products on the first day, and new ones each day. */
  products: number;
  newProductsPerDay: number;
  seed: number;
}

/** A product, with the first day on which it is sold. */
export interface ShopProduct {
  id: string;
  since: number;
  metadata: string;
}

export interface ShopEvent {
  product: number;
  type: 'view' | 'purchase' | 'return';
  /** Milliseconds since the Unix epoch. */
  time: number;
}

/** A visit: views of different products that the visitor has not seen before, some with a purchase. */
export interface ShopSession {
  day: number;
  visitor: string;
  isNew: boolean;
  events: ShopEvent[];
}

/** Days of one shop: sessions in the order of time, products that are out of stock by day, and returns by day. */
export interface SimulatedShop {
  products: readonly ShopProduct[];
  sessions: readonly ShopSession[];
  missing: readonly ReadonlySet<number>[];
  returns: readonly (readonly { visitor: string; event: ShopEvent }[])[];
}

interface Visitor {
  id: string;
  taste: number[];
  seen: Set<number>;
}

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const pauseMs = 40_000;
const dimensions = 8;
const categories = 24;
const makers = 60;
const newVisitorShare = 0.4;
const purchaseShare = 0.15;
const returnShare = 0.12;
const outOfStockShare = 0.04;
const freshDays = 5;

/**
 * Simulates a shop from a latent model: products are vectors around their category and maker, visitors have tastes, and each session has an intention of its own
 * that follows the last product. Visitors choose in proportion to exp(intention · product) times popularity; new products are favoured for five days.
 * Visitors do not see any list, so what they choose does not depend on the lists that are compared.
 */
export function simulateShop({ days, sessionsPerDay, products: first, newProductsPerDay, seed }: ShopShape): SimulatedShop {
  const random = seededRandom(seed);
  const vector = (size: number): number[] => Array.from({ length: dimensions }, () => size * random.normal());
  const centres = Array.from({ length: categories }, () => vector(1));
  const makerShift = Array.from({ length: makers }, () => vector(0.4));
  const products: ShopProduct[] = [];
  const positions: number[][] = [];
  const popularity: number[] = [];
  for (let product = 0; product < first + days * newProductsPerDay; product += 1) {
    const [category, maker] = [random.below(categories), random.below(makers)];
    const shift = vector(0.4);
    positions.push((centres[category] ?? []).map((value, k) => value + (makerShift[maker]?.[k] ?? 0) + (shift[k] ?? 0)));
    popularity.push(0.9 * random.normal());
    products.push({
      id: `product-${String(product).padStart(5, '0')}`, since: product < first ? 0 : Math.floor((product - first) / newProductsPerDay),
      metadata: JSON.stringify({ category: `category ${category}`, maker: `maker ${maker}`, price: 5 + random.below(95) }),
    });
  }
  const visitors: Visitor[] = [];
  const sessions: ShopSession[] = [];
  const missing: Set<number>[] = [];
  const returns: { visitor: string; event: ShopEvent }[][] = Array.from({ length: days }, () => []);
  for (let day = 0; day < days; day += 1) {
    const yesterday = [...(missing[day - 1] ?? [])].filter(() => random.uniform() < 0.5);
    missing.push(new Set([...yesterday, ...products.keys()].filter((_, at) => at < yesterday.length || random.uniform() < outOfStockShare / 2)));
    for (let at = 0; at < sessionsPerDay; at += 1) {
      const isNew = visitors.length < 50 || random.uniform() < newVisitorShare;
      const visitor = isNew ? arrive(visitors, centres, random) : (visitors[Math.floor(visitors.length * (1 - random.uniform() ** 2))] ?? visitors[0] as Visitor);
      const time = startMs + day * dayMs + Math.floor(((at + random.uniform()) * dayMs) / sessionsPerDay);
      const session = visit(visitor, { day, time, positions, popularity, products, missing: missing[day] ?? new Set(), centres, random });
      if (session.length === 0) continue;
      sessions.push({ day, visitor: visitor.id, isNew, events: session });
      for (const event of session) {
        const back = day + 2 + random.below(5);
        if (event.type === 'purchase' && back < days && random.uniform() < returnShare) returns[back]?.push({ visitor: visitor.id, event: { ...event, type: 'return', time: startMs + back * dayMs } });
      }
    }
  }
  return { products, sessions, missing, returns };
}

function arrive(visitors: Visitor[], centres: readonly number[][], random: SeededRandom): Visitor {
  const liked = [random.pick(centres), random.pick(centres)];
  const taste = Array.from({ length: dimensions }, (_, k) => liked.reduce((sum, centre) => sum + (centre[k] ?? 0), 0) / 2);
  const visitor = { id: `visitor-${String(visitors.length).padStart(6, '0')}`, taste, seen: new Set<number>() };
  visitors.push(visitor);
  return visitor;
}

interface Scene {
  day: number;
  time: number;
  positions: readonly number[][];
  popularity: readonly number[];
  products: readonly ShopProduct[];
  missing: ReadonlySet<number>;
  centres: readonly number[][];
  random: SeededRandom;
}

function visit({ taste, seen }: Visitor, { day, time, positions, popularity, products, missing, centres, random }: Scene): ShopEvent[] {
  const wanted = random.pick(centres);
  const intention = taste.map((value, k) => 0.7 * value + (random.uniform() < 0.5 ? 0.5 : 0.3) * (wanted[k] ?? 0));
  const events: ShopEvent[] = [];
  for (let views = 1; views === 1 || (views < 15 && random.uniform() < 0.8); views += 1) {
    const weights = positions.map((position, product) => {
      const age = day - (products[product]?.since ?? 0);
      if (age < 0 || missing.has(product) || seen.has(product)) return 0;
      let affinity = (popularity[product] ?? 0) + (age < freshDays && (products[product]?.since ?? 0) > 0 ? 0.7 : 0);
      for (let k = 0; k < dimensions; k += 1) affinity += 0.6 * (intention[k] ?? 0) * (position[k] ?? 0);
      return Math.exp(affinity);
    });
    const product = draw(weights, random);
    if (product < 0) break;
    seen.add(product);
    for (let k = 0; k < dimensions; k += 1) intention[k] = 0.75 * (intention[k] ?? 0) + 0.25 * (positions[product]?.[k] ?? 0);
    events.push({ product, type: random.uniform() < purchaseShare ? 'purchase' : 'view', time: time + events.length * pauseMs });
  }
  return events;
}

/** Draws a position in proportion to the weights; -1 if all are 0. */
function draw(weights: readonly number[], random: SeededRandom): number {
  let rest = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => weight > 0 && (rest -= weight) <= 0);
}
