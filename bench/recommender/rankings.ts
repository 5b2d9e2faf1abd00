/**
 * Returns the first `count` item numbers by descending score, ties by item number. Only items with a positive score are listed.
 */
export function topOf(scores: Float64Array, count: number): number[] {
  const listed: number[] = [];
  for (let item = 0; item < scores.length; item++) if ((scores[item] as number) > 0) listed.push(item);
  listed.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
  return listed.slice(0, count);
}

/** Returns the share of the wanted items that the list contains. */
export function recall<Item>(list: readonly Item[], wanted: ReadonlySet<Item>): number {
  return list.filter((item) => wanted.has(item)).length / wanted.size;
}

/** Computes ndcg with binary gains, relative to the best possible list of the same length. */
export function ndcg<Item>(list: readonly Item[], wanted: ReadonlySet<Item>, cutoff: number): number {
  let gain = 0;
  let ideal = 0;
  for (let rank = 0; rank < cutoff; rank++) {
    if (rank < list.length && wanted.has(list[rank] as Item)) gain += 1 / Math.log2(rank + 2);
    if (rank < wanted.size) ideal += 1 / Math.log2(rank + 2);
  }
  return gain / ideal;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Prints rows as a Markdown table. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of [header, header.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
}
