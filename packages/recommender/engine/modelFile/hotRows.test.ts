import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { FileWords, Readahead, sectionPlace } from './fileWords.ts';
import { HotTable, loadHotRows, type SharedTable } from './hotRows.ts';
import { openSectionFile, writeSectionFile, type SectionFile } from './sectionFile.ts';
import { Row, RowTable } from './wordRows.ts';

const items = 200;
const random = createRandom(2);
const degree = Int32Array.from({ length: items }, () => random.below(9));
let folder = '';
let file: SectionFile;
let tables: [SharedTable, SharedTable];

/** Start of each row; rows have up to 40 entries. */
function pointerOf(): Float64Array {
  const pointer = new Float64Array(items + 1);
  for (let item = 0; item < items; item += 1) pointer[item + 1] = (pointer[item] ?? 0) + random.below(40);
  return pointer;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hot-'));
  const [one, two] = [pointerOf(), pointerOf()];
  const words = (count: number, first: number) => Int32Array.from({ length: count }, (_, at) => first + at);
  const sections = { one: words(3 * (one[items] ?? 0), 0), two: words(2 * (two[items] ?? 0), 1e6) };
  const path = join(folder, 'rows');
  await writeSectionFile(path, { format: 'sample', version: 1, facts: {}, sections });
  file = await openSectionFile(path, { format: 'sample', newestVersion: 1 });
  tables = [
    { place: sectionPlace(file, 'one', 'int32'), pointer: one, planes: 2 },
    { place: sectionPlace(file, 'two', 'int32'), pointer: two, planes: 1 },
  ];
});

afterAll(async () => {
  await file.handle.close();
  await rm(folder, { recursive: true });
});

function rowsOf(table: RowTable, planes: number, order: Iterable<number>): number[][] {
  const row = new Row();
  return Array.from(order, (item) => {
    table.read(item, row);
    return [item, ...row.ints.subarray(row.start, row.start + row.count * (1 + planes))];
  });
}

/** A workspace with memory that was used and released. */
function idleWorkspace(): Workspace {
  const workspace = new Workspace();
  const mark = workspace.mark();
  workspace.integers(50_000);
  workspace.release(mark);
  return workspace;
}

test('rows are those of the file, however many of them are in memory, the most popular ones first', () => {
  const [one, two] = tables;
  const expected = tables.map((table) => rowsOf(new RowTable(table.pointer, new FileWords(table.place), table.planes), table.planes, degree.keys()));
  const kept: number[] = [];
  for (const [room, workspace] of [[0, null], [3000, null], [2 ** 24, null], [0, idleWorkspace()]] as const) {
    const hot = loadHotRows(tables, degree, workspace, room);
    const read = [new HotTable(one, new FileWords(one.place), hot, []), new HotTable(two, new FileWords(two.place), hot, [one])];
    expect(read.map((table, at) => rowsOf(table, tables[at]?.planes ?? 0, degree.keys()))).toEqual(expected);
    const inside = [...degree.keys()].filter((item) => (hot.first[item] ?? -1) >= 0);
    kept.push(inside.length);
    const least = Math.min(...inside.map((item) => degree[item] ?? 0));
    expect(degree.every((own, item) => own <= least || inside.includes(item))).toBe(true);
    if (workspace === null) expect(hot.words.length).toBeLessThanOrEqual(room);
  }
  expect(kept[0]).toBeLessThan(5);
  expect(kept[1]).toBeGreaterThan(10);
  expect(kept.slice(2)).toEqual([items, items]);
});

test('a window that is read ahead gives the rows of the file in any order, longer ones than itself too', () => {
  const [{ place, pointer, planes }] = tables;
  const back = [...degree.keys()].toReversed();
  for (const order of [[...degree.keys()], back, back.map((item) => (item * 7) % items)]) {
    const expected = rowsOf(new RowTable(pointer, new FileWords(place), planes), planes, order);
    for (const windowBytes of [64, 1000, 2 ** 20]) {
      expect(rowsOf(new RowTable(pointer, new Readahead(place, windowBytes), planes), planes, order)).toEqual(expected);
    }
  }
});
