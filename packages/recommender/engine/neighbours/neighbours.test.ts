import { describe, expect, test } from 'vitest';
import { factorise } from '../factors/factorise.ts';
import { rowNorms } from '../linear/rowNorms.ts';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { CosineRows } from './cosineRows.ts';
import { GramRow } from './gramRow.ts';
import { PlainTools } from '../kernels/plainTools.ts';
import { buildCells } from './nearestCells.ts';
import { findCompared } from './comparedItems.ts';
import { NearestIndex } from './nearestIndex.ts';
import { WholeRows } from '../lists/listRows.ts';
import { OperatorRows } from './operatorRows.ts';
import { visitRows } from './visitRows.ts';
import { Workspace } from '../kernels/workspace.ts';
import { computeRidge } from '../ridge/ridgeMatrix.ts';
import { computeAls } from '../ridge/alsMatrix.ts';
import { contentVectors } from './attributes/contentVectors.ts';
import { regressionOf } from '../ridge/regressionOf.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { ScoredRows } from '../lists/listRows.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import type { Interactions } from '../matrix/interactions.ts';

const items = 30;
const everyItem = [...Array(items).keys()];

function randomInteractions(seed: number): { interactions: Interactions; lists: number[][] } {
  const random = createRandom(seed);
  const lists = Array.from({ length: 40 }, () =>
    Array.from({ length: items }, (_, item) => item).filter(() => random.uniform() < 0.2),
  );
  const pointer = new Float64Array(lists.length + 1);
  lists.forEach((list, user) => (pointer[user + 1] = (pointer[user] as number) + list.length));
  return { interactions: toInteractions({ pointer, index: Int32Array.from(lists.flat()) }, items), lists };
}

const { interactions, lists } = randomInteractions(2);
const degree = (item: number): number => lists.filter((list) => list.includes(item)).length;
const both = (a: number, b: number): number[][] => lists.filter((list) => list.includes(a) && list.includes(b));

describe('the Gram row', () => {
  test('has the weighted and plain number of common users, grouped by type, without the item itself', () => {
    const groupOf = Int32Array.from({ length: items }, (_, item) => item % 3);
    const row = new GramRow(interactions, groupOf, 3, -0.5, -0.2);
    for (let item = 0; item < items; item++) {
      row.fill(item);
      const touched = [...row.touched.subarray(0, row.groupStart[3])];
      const expected = Array.from({ length: items }, (_, other) => other).filter(
        (other) => other !== item && both(item, other).length > 0,
      );
      expect(touched.toSorted((a, b) => a - b)).toEqual(expected);
      for (let group = 0; group < 3; group++) {
        const inGroup = touched.slice(row.groupStart[group], row.groupStart[group + 1]);
        expect(inGroup.every((other) => other % 3 === group)).toBe(true);
        expect(row.candidateCount[group]).toBe(inGroup.length);
      }
      for (const other of touched) {
        const shared = both(item, other);
        expect(row.sums[2 * other + 1]).toBe(shared.length);
        expect(row.sums[2 * other]).toBeCloseTo(shared.reduce((sum, list) => sum + list.length ** -0.5, 0), 5);
      }
      row.clear();
      expect(row.sums.every((value) => value === 0)).toBe(true);
    }
  });
});

describe('the operator', () => {
  const setting = { pu: -0.5, pa: -0.3, pb: -0.2, T: 3, b: 0.3 };
  const factors = factorise(interactions, setting.pu, 1, () => {});

  /** The value of a pair by the formula of the operator. */
  function valueOf(i: number, j: number, { pu, pa, pb, T, b }: OperatorSetting): number {
    const { rank, vectors, eigenvalues, largestEigenvalue } = factors;
    const gram = both(i, j).reduce((sum, list) => sum + list.length ** pu, 0);
    const p = gram / Math.sqrt(degree(i) * degree(j)) / largestEigenvalue;
    let damped = 0;
    let plain = 0;
    for (let k = 0; k < rank; k++) {
      const product = (vectors[i * rank + k] as number) * (vectors[j * rank + k] as number);
      const s = eigenvalues[k] as number;
      damped += product * s * (Math.exp(-T * s) - 1);
      plain += product;
    }
    return degree(i) ** (pa + 0.5) * (p + damped) * degree(j) ** (pb + 0.5) + b * degree(i) ** -0.5 * plain * degree(j) ** 0.5;
  }

  function rowsOf(used: OperatorSetting, groupOf = new Int32Array(items), groups = 1, limit?: number): ScoredRows {
    const row = new GramRow(interactions, groupOf, groups, used.pu, used.pb);
    const rows = new WholeRows(items, 2);
    const compared = used.allPairs === true ? findCompared(new PlainTools(), interactions, factors, groupOf, groups, limit) : null;
    visitRows(row, everyItem, [new OperatorRows(interactions, factors, used, rows, null, compared)]);
    return rows.join();
  }

  test('is the formula of its definition, falling in each row', () => {
    const { pointer, index, value } = rowsOf(setting);
    expect(index.length).toBeGreaterThan(100);
    for (let i = 0; i < items; i++) {
      for (let entry = pointer[i] as number; entry < (pointer[i + 1] as number); entry++) {
        // Quantised vectors are exact to about 1e-5 of their length.
        expect(value[entry]).toBeCloseTo(valueOf(i, index[entry] as number, setting), 4);
        if (entry > (pointer[i] as number)) expect(value[entry]).toBeLessThanOrEqual(value[entry - 1] as number);
      }
    }
  });

  test('has every item with a positive value in a row of all pairs, with or without common users', () => {
    const sparse = { pu: -0.5, pa: -0.5, pb: 0.1, T: -1, b: 2, allPairs: true };
    const groupOf = Int32Array.from({ length: items }, (_, item) => item % 3);
    let unshared = 0;
    // With 7 compared items, the other items of a row have common users.
    for (const limit of [items, 7]) {
      const { pointer, index, value, score } = rowsOf(sparse, groupOf, 3, limit);
      for (let i = 0; i < items; i++) {
        const [start, end] = [pointer[i] as number, pointer[i + 1] as number];
        const found = [...index.subarray(start, end)];
        for (let entry = start; entry < end; entry++) {
          const j = index[entry] as number;
          expect(value[entry]).toBeCloseTo(valueOf(i, j, sparse), 4);
          if (both(i, j).length > 0) continue;
          expect(score[entry]).toBe(0);
          if (limit === items) unshared++;
        }
        const expected = everyItem.filter((j) => j !== i && valueOf(i, j, sparse) > 1e-4 && (limit === items || both(i, j).length > 0));
        expect(found).toEqual(expect.arrayContaining(expected));
        expect(new Set(found).size).toBe(found.length);
        expect(found).not.toContain(i);
        expect(found.map((j) => j % 3)).toEqual(found.map((j) => j % 3).toSorted());
      }
    }
    expect(unshared).toBeGreaterThan(20);
  });

  test('of a setting with a ridge and als has the sums of the three families, best first, and keeps those below 0', () => {
    const plain = { pu: -0.5, pa: -0.5, pb: 0.1, T: -1, b: 2, allPairs: true };
    const blend = { ...plain, ridge: 0.7, lambda: 4, als: 0.3 };
    const workspace = new Workspace();
    const memory = { ...interactions, workspace };
    const [ridge, als] = [computeRidge(memory, blend.lambda), computeAls(memory, factors)];
    const row = new GramRow(interactions, new Int32Array(items), 1, -0.5, -0.2);
    const rows = new WholeRows(items, 2);
    const compared = findCompared(new PlainTools(), interactions, factors, new Int32Array(items), 1);
    visitRows(row, everyItem, [new OperatorRows(interactions, factors, blend, rows, null, compared, regressionOf(blend, memory, factors))]);
    const { pointer, index, value } = rows.join();
    for (let i = 0; i < items; i++) {
      const placeOf = (j: number): number => (ridge.place[i] as number) * ridge.stride + (ridge.place[j] as number);
      const expected = (j: number): number => valueOf(i, j, plain) + 0.7 * (ridge.values[placeOf(j)] as number) + 0.3 * (als.values[placeOf(j)] as number);
      const found = [...index.subarray(pointer[i], pointer[i + 1])];
      found.forEach((j, at) => expect(value[(pointer[i] as number) + at]).toBeCloseTo(expected(j), 4));
      expect(found).toEqual(found.toSorted((a, b) => expected(b) - expected(a)));
      expect(found).toEqual(expect.arrayContaining(everyItem.filter((j) => j !== i && Math.abs(expected(j)) > 1e-3)));
    }
  });
});

test('a setting with content adds the weighted cosines of metadata to the rows of the operator', () => {
  const setting = { pu: -0.5, pa: -0.3, pb: -0.2, T: 3, b: 0.3, content: 0.4 };
  const factors = factorise(interactions, setting.pu, 1, () => {});
  const attributes = everyItem.map((item) => [item % 3, 3 + (item % 4)]);
  const vectors = contentVectors({ pointer: Float64Array.from([0, ...everyItem.map((item) => 2 * item + 2)]), index: Int32Array.from(attributes.flat()) }, new Float64Array(7).fill(1));
  const rowsWith = (content: typeof vectors): ScoredRows => {
    const rows = new WholeRows(items, 2);
    visitRows(new GramRow(interactions, new Int32Array(items), 1, setting.pu, setting.pb), everyItem, [new OperatorRows(interactions, factors, setting, rows, null, null, null, content)]);
    return rows.join();
  };
  const [plain, mixed] = [rowsWith(null), rowsWith(vectors)];
  for (const i of everyItem) {
    const before = new Map([...plain.index.subarray(plain.pointer[i], plain.pointer[i + 1])].map((j, at) => [j, plain.value[(plain.pointer[i] as number) + at] as number]));
    for (let entry = mixed.pointer[i] as number; entry < (mixed.pointer[i + 1] as number); entry++) {
      const j = mixed.index[entry] as number;
      const cosine = (attributes[i] ?? []).filter((attribute) => attributes[j]?.includes(attribute)).length / 2;
      expect(mixed.value[entry]).toBeCloseTo((before.get(j) ?? Number.NaN) + 0.4 * cosine, 5);
      if (entry > (mixed.pointer[i] as number)) expect(mixed.value[entry]).toBeLessThanOrEqual(mixed.value[entry - 1] as number);
    }
  }
});

test('the compared items have the largest vectors, and small target types take part completely', () => {
  const factors = factorise(interactions, -0.5, 1, () => {});
  const bound = (item: number): number =>
    Math.sqrt(degree(item)) * Math.hypot(...factors.vectors.subarray(item * factors.rank, (item + 1) * factors.rank));
  const groupOf = Int32Array.from({ length: items }, (_, item) => (item < 4 ? 0 : 1));
  const { items: chosen, start, place } = findCompared(new PlainTools(), interactions, factors, groupOf, 2, 12);
  expect([...start]).toEqual([0, 4, 12]);
  expect([...chosen.subarray(0, 4)]).toEqual([0, 1, 2, 3]);
  const best = everyItem.slice(4).sort((a, b) => bound(b) - bound(a)).slice(0, 8);
  expect([...chosen.subarray(4)]).toEqual(best.toSorted((a, b) => a - b));
  for (const item of everyItem) expect(place[item]).toBe(chosen.indexOf(item));
});

test('the item-kNN rows are cosines of user sets', () => {
  const row = new GramRow(interactions, new Int32Array(items), 1, -0.5, -0.2);
  const rows = new CosineRows(interactions);
  visitRows(row, everyItem, [rows]);
  const { pointer, index, value } = rows.finish();
  for (let entry = pointer[4] as number; entry < (pointer[5] as number); entry++) {
    const other = index[entry] as number;
    expect(value[entry]).toBeCloseTo(both(4, other).length / Math.sqrt(degree(4) * degree(other)), 6);
  }
});

describe('the nearest-embedding search', () => {
  const tools = new PlainTools();
  /** Points around 40 random centres, in 16 dimensions. */
  function clustered(count: number): { embedding: Float32Array; norms: Float64Array; all: Int32Array } {
    const random = createRandom(9);
    const centres = Float32Array.from({ length: 40 * 16 }, () => random.normal());
    const embedding = Float32Array.from({ length: count * 16 }, (_, place) => {
      const centre = Math.floor(place / 16) % 40;
      return (centres[centre * 16 + (place % 16)] as number) + 0.4 * random.normal();
    });
    const all = Int32Array.from({ length: count }, (_, item) => item);
    return { embedding, norms: rowNorms(embedding, count, 16), all };
  }

  function query(embedding: Float32Array, item: number): QuantisedRows {
    const row = tools.quantised(1, 16);
    tools.quantise(embedding.subarray(item * 16, (item + 1) * 16), null, row, 0);
    return row;
  }

  function exact(embedding: Float32Array, norms: Float64Array, item: number, count: number, limit: number): number[] {
    const cosine = Array.from({ length: count }, (_, other) => {
      let dot = 0;
      for (let k = 0; k < 16; k++) {
        dot += (embedding[item * 16 + k] as number) * (embedding[other * 16 + k] as number);
      }
      return dot / (norms[other] as number);
    });
    return [...cosine.keys()].sort((a, b) => (cosine[b] as number) - (cosine[a] as number)).slice(0, limit);
  }

  test('is exact in a small catalogue', () => {
    const { embedding, norms, all } = clustered(1000);
    const index = new NearestIndex(tools, buildCells(tools, embedding, norms, 16, all, 1));
    const out = new Int32Array(50);
    expect(index.search(query(embedding, 17), 50, out)).toBe(50);
    expect(new Set(out)).toEqual(new Set(exact(embedding, norms, 17, 1000, 50)));
  });

  test('finds nearly all of the nearest in a catalogue that is not searched whole', () => {
    const { embedding, norms, all } = clustered(9000);
    const index = new NearestIndex(tools, buildCells(tools, embedding, norms, 16, all, 1));
    const out = new Int32Array(50);
    let hits = 0;
    for (let item = 0; item < 9000; item += 450) {
      const found = new Set(out.subarray(0, index.search(query(embedding, item), 50, out)));
      hits += exact(embedding, norms, item, 9000, 50).filter((other) => found.has(other)).length;
    }
    expect(hits / (20 * 50)).toBeGreaterThan(0.95);
  });
});
