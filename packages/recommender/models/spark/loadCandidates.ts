import type { Catalogue } from '../../engine/catalogue/numberItems.ts';
import { CandidateWriter, type StoredCandidates } from '../../engine/neighbours/candidateFile.ts';
import { numberColumn } from '../arrays/columns.ts';
import { forEachChunk, openDuckDb, parquetTable, type DuckDbLimits } from '../arrays/duckdb.ts';

interface Candidate {
  other: number;
  total: number;
  common: number;
}

/**
 * Converts the candidates that Spark wrote, in ascending order of node numbers, to the candidate file for computing lists.
 * @param paths Parquet files in the order of their rows
 * @param path path of the candidate file to write
 * @throws RangeError if the candidates do not belong to this catalogue
 */
export async function loadCandidates(paths: readonly string[], catalogue: Catalogue, path: string, limits: DuckDbLimits): Promise<StoredCandidates> {
  const { nodeItem, itemGroup } = catalogue;
  const writer = new CandidateWriter(path, itemGroup);
  const groupOf = ({ other }: Candidate): number => itemGroup[other] ?? 0;
  let item = -1;
  let row: Candidate[] = [];
  const endRow = (): void => {
    // SQL orders types by their bytes, the catalogue orders types by their UTF-16 code units.
    row.sort((one, two) => groupOf(one) - groupOf(two));
    for (const { other, total, common } of row) writer.add(item, other, total, common);
    row = [];
  };
  const connection = await openDuckDb(limits);
  try {
    if (paths.length > 0) {
      await forEachChunk(connection, `SELECT item, other, total, common FROM ${parquetTable(paths)}`, (chunk) => {
        const [items, others, totals, commons] = [0, 1, 2, 3].map((column) => numberColumn(chunk, column));
        for (let at = 0; at < chunk.rowCount; at += 1) {
          const next = nodeItem[items!.getItem(at)!] ?? -1;
          if (next !== item) endRow();
          item = next;
          row.push({ other: nodeItem[others!.getItem(at)!] ?? -1, total: totals!.getItem(at)!, common: commons!.getItem(at)! });
        }
      });
    }
    endRow();
    return writer.finish();
  } finally {
    connection.closeSync();
  }
}
