import type { ModelReader } from '../modelFile/openModel.ts';
import type { Row } from '../modelFile/wordRows.ts';

/** Users of both rows, which contain ascending user numbers. Each user of the shorter row is searched for in the longer row. */
export function intersectUsers(a: Row, b: Row): number[] {
  const [short, long] = a.count <= b.count ? [a, b] : [b, a];
  const shared: number[] = [];
  const end = long.start + long.count;
  let from = long.start;
  for (let at = 0; at < short.count && from < end; at += 1) {
    const user = short.ints[short.start + at] ?? 0;
    from = lowerBound(long.ints, from, end, user);
    if (from < end && long.ints[from] === user) shared.push(user);
  }
  return shared;
}

/** First position in `values[from .. end]` whose value is at least `wanted`, found by galloping search. */
function lowerBound(values: Int32Array, from: number, end: number, wanted: number): number {
  let step = 1;
  let low = from;
  while (low + step < end && (values[low + step] ?? 0) < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step + 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Weight d_u^pu of a user in P; d_u is the length of the user's history, capped at `historyCap`. */
export function userWeight(model: ModelReader, user: number): number {
  return Math.min(model.history.count(user), model.facts.historyCap) ** model.facts.setting.pu;
}

/** Whether `item` is among the latest items of the user's history, which alone count in P. */
export function countsInHistory(model: ModelReader, user: number, item: number, row: Row): boolean {
  const length = model.history.count(user);
  if (length <= model.facts.historyCap) return true;
  model.history.read(user, row, length - model.facts.historyCap);
  return row.ints.subarray(row.start, row.start + row.count).includes(item);
}

/** Ids of at most `most` of the users, largest weight first. */
export function nameUsers(model: ModelReader, users: readonly number[], most: number): string[] {
  const named: { user: number; weight: number }[] = [];
  for (const user of users) {
    const weight = userWeight(model, user);
    if (named.length === most && weight <= (named[most - 1]?.weight ?? 0)) continue;
    const place = named.findIndex((other) => other.weight < weight);
    named.splice(place < 0 ? named.length : place, 0, { user, weight });
    if (named.length > most) named.pop();
  }
  return named.map(({ user }) => model.ids.get(model.userNode[user] ?? 0));
}
