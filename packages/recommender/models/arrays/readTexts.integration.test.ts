import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDuckDb } from './duckdb.ts';
import { loadTrainingData } from './loadTrainingData.ts';
import { tableColumns } from './trainingSnapshot.ts';

const mark = '\uFEFF';
/** Ids in the order of their bytes. */
const ids = ['a', '\u200Ba', '\u202Ea', mark, `${mark}a`, `${mark}${mark}a`, 'a long id of more than twelve bytes', `${mark}a long id of more than twelve bytes`, '😀']
  .sort((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));

test('a training reads every text as it was uploaded, also with U+FEFF at its beginning', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-texts-'));
  try {
    const limits = { memory: '300MB', threads: 1, temporaryFolder: join(folder, 'duckdb') };
    const connection = await openDuckDb(limits);
    const write = async (kind: 'entity' | 'interaction', rows: readonly string[][]): Promise<string> => {
      const path = join(folder, `${kind}.parquet`);
      const columns = tableColumns[kind].split(', ').map((column) => column.split(' ') as [string, string]);
      const values = rows.map((row, at) => `(${[...row.map((text) => (text === '' ? 'NULL' : `'${text}'`)), at + 1].join(', ')})`);
      await connection.run(`COPY (SELECT ${columns.map(([name, type]) => `CAST(${name} AS ${type}) AS ${name}`).join(', ')}
        FROM (VALUES ${values.join(', ')}) AS rows (${columns.map(([name]) => name).join(', ')})) TO '${path}' (FORMAT parquet)`);
      return path;
    };
    const entities = await write('entity', ids.map((id) => [id, `${mark}film`, `${mark}name ${id}`, '{"plot": "text"}', `${mark}https://${id}`]));
    const interactions = await write('interaction', ids.map((id) => [`${mark}view`, 'user', id, '', '']));
    connection.closeSync();
    const { data, summary } = await loadTrainingData(
      [{ path: entities, kind: 'entity', sequence: 1 }, { path: interactions, kind: 'interaction', sequence: 2 }], null, limits, () => {});
    const films = data.nodes.ids.flatMap((id, node) => (id === 'user' ? [] : [node]));
    expect(films.map((node) => data.nodes.ids[node])).toEqual(ids);
    expect(films.map((node) => data.nodes.names[node])).toEqual(ids.map((id) => `${mark}name ${id}`));
    expect(films.map((node) => data.nodes.mediaUrls[node])).toEqual(ids.map((id) => `${mark}https://${id}`));
    expect(data.types).toEqual([`${mark}film`]);
    expect([summary.entities.by_type, summary.interactions.by_type]).toEqual([{ [`${mark}film`]: ids.length }, { [`${mark}view`]: ids.length }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
