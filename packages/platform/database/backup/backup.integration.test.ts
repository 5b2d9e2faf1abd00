import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../testing/testDatabase.ts';
import { dumpTables } from './dumpTables.ts';
import { findFilledTable, restoreTables } from './restoreTables.ts';

let folder: string;
let from: TestDatabase;
let to: TestDatabase;

const schema = `
  CREATE TABLE zoo (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label text, seen timestamptz, raw bytea,
    tags text[], facts jsonb, input jsonb NOT NULL DEFAULT '{}', length integer GENERATED ALWAYS AS (char_length(label)) STORED);
  CREATE TABLE animal (id bigserial PRIMARY KEY, zoo_id bigint NOT NULL REFERENCES zoo (id))`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-backup-'));
  [from, to] = await Promise.all([openTestDatabase(), openTestDatabase()]);
  for (const database of [from, to]) await database.query(schema);
});

afterEach(async () => {
  await Promise.all([from.close(), to.close()]);
  await rm(folder, { recursive: true, force: true });
});

async function fill(): Promise<void> {
  await from.query(
    `INSERT INTO zoo (label, seen, raw, tags, facts)
     SELECT $1 || n, '2026-01-02T03:04:05.123456Z', $2, ARRAY['a,b', 'c"d', NULL], $3::jsonb FROM generate_series(1, 2500) AS n`,
    ['line\u2028separator\n"quoted" ', Buffer.from([0, 255, 10]), JSON.stringify({ deep: [1, null, 'é'] })],
  );
  // Half of the rows get the JSON value null in `input`, which is a value, and SQL NULL in `facts`, which is not.
  await from.query(`UPDATE zoo SET input = 'null', facts = NULL WHERE id % 2 = 0`);
  await from.query('INSERT INTO animal (zoo_id) SELECT id FROM zoo');
}

test('a restored database has the same rows and continues its numbers', async () => {
  await fill();
  const dump = await dumpTables(from, folder, ['SELECT label FROM zoo WHERE id <= 2']);
  expect(dump.names).toHaveLength(2);
  expect(await findFilledTable(to)).toBeNull();
  await restoreTables(to, folder, dump.tables);

  const all = 'SELECT zoo.*, animal.id AS animal FROM zoo JOIN animal ON zoo_id = zoo.id ORDER BY zoo.id';
  const [before, after] = await Promise.all([from.query(all), to.query(all)]);
  expect(after.rows).toEqual(before.rows);
  expect(before.rows).toHaveLength(2500);
  const next = await to.query<{ id: string }>('INSERT INTO zoo (label) VALUES ($1) RETURNING id', ['next']);
  expect(next.rows[0]?.id).toBe('2501');
  expect(await findFilledTable(to)).not.toBeNull();
});

test('a damaged file restores nothing', async () => {
  await fill();
  const dump = await dumpTables(from, folder, []);
  await appendFile(join(folder, 'animal.jsonl'), '{"id": 9999, "zoo_id": 1}\n');
  await expect(restoreTables(to, folder, dump.tables)).rejects.toThrow(/animal\.jsonl differs from the file/);
  expect(await findFilledTable(to)).toBeNull();
});
