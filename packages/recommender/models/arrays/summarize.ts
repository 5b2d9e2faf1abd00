import type { DuckDBConnection } from '@duckdb/node-api';
import type { SnapshotResult } from '../sql/statements.ts';
import type { SplitPairs } from './splitPairs.ts';
import { textOf, withTextAsBytes } from './columns.ts';
import type { DataSummary } from './trainingSnapshot.ts';

/** Maximum number of types in a training record. If a wrong column is used as type, every row can have a different type. */
const typesShown = 100;

/** Counts the contents of a snapshot, and the rows that are not used. */
export async function summarize(
  connection: DuckDBConnection,
  queries: Readonly<Record<SnapshotResult, string>>,
  { pairs, dislikes, neutral }: SplitPairs,
  batches: number,
): Promise<DataSummary> {
  const entities = (await connection.runAndReadAll(withTextAsBytes(queries.entityCounts, ['type']))).getRows();
  const interactions = await connection.runAndReadAll(withTextAsBytes(queries.interactionCounts, ['type']));
  const byType = interactions.getRows().map((row) => {
    const number = (column: number, missing: number): number => (row[column] === null || row[column] === undefined ? missing : Number(row[column]));
    return {
      type: textOf(row[0]) ?? '',
      total: number(1, 0),
      self: number(2, 0),
      tooOld: number(3, 0),
      withTime: number(4, 0),
      newest: number(5, Number.NEGATIVE_INFINITY),
      weight: number(6, 1),
      weighed: number(7, 0),
      notWeights: number(8, 0),
      rated: number(9, 0),
      beyond: number(10, 0),
      scale: row[12] === null || row[12] === undefined ? null : { lowest: number(11, 0), highest: number(12, 0) },
      notRatings: number(13, 0),
    };
  });
  const total = (pick: (row: (typeof byType)[number]) => number): number =>
    byType.reduce((sum, row) => sum + pick(row), 0);
  const newest = byType.reduce((latest, row) => Math.max(latest, row.newest), Number.NEGATIVE_INFINITY);
  const ignored = { too_old: total((row) => row.tooOld), self: total((row) => row.self) };
  const entityTypes = entities.map(([type, count]) => [textOf(type) ?? '', Number(count)] as const);
  const emptied = { metadata: Number(entities[0]?.[3] ?? 0), names: Number(entities[0]?.[4] ?? 0) };
  const used = pairs.count + dislikes.count + neutral;
  return {
    entities: {
      rows: Number(entities[0]?.[2] ?? 0),
      distinct: entityTypes.reduce((sum, [, count]) => sum + count, 0),
      types: entityTypes.length,
      by_type: mostFrequent(entityTypes),
      ...(emptied.metadata + emptied.names === 0 ? {} : { emptied }),
    },
    interactions: {
      rows: total((row) => row.total),
      used: pairs.count,
      disliked: dislikes.count,
      types: byType.length,
      by_type: mostFrequent(byType.map((row) => [row.type, row.total])),
      weight_by_type: Object.fromEntries(
        Object.keys(mostFrequent(byType.map((row) => [row.type, row.total]))).map((type) => [type, byType.find((row) => row.type === type)?.weight ?? 1]),
      ),
      weighed: { rows: total((row) => row.weighed), invalid: total((row) => row.notWeights) },
      rated: { rows: total((row) => row.rated + row.notRatings), invalid: total((row) => row.beyond + row.notRatings), scale: byType[0]?.scale ?? null },
      ignored: { ...ignored, repeated: total((row) => row.total) - ignored.too_old - ignored.self - used, neutral },
      with_timestamp: total((row) => row.withTime),
      newest_timestamp: Number.isFinite(newest) ? new Date(newest).toISOString() : null,
    },
    batches,
  };
}

/** The most frequent types with their counts; of equal counts, the earlier type comes first. */
function mostFrequent(counts: readonly (readonly [type: string, count: number])[]): Record<string, number> {
  return Object.fromEntries([...counts].sort(([, left], [, right]) => right - left).slice(0, typesShown));
}
