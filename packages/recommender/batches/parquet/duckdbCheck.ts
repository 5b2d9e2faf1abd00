import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { recommenderFindings } from '../../errors/recommenderFindings.ts';

const loadDuckdb = async (): Promise<unknown> => import('@duckdb/node-api');

/** Checks that DuckDB, which uploads and trainings use in child processes, is available for this machine. */
export function duckdbCheck(load: () => Promise<unknown> = loadDuckdb): DoctorCheck {
  return { name: 'data reader', run: async () => [await tryToLoad(load)] };
}

async function tryToLoad(load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load();
    return { status: 'ok', detail: 'DuckDB can be loaded; uploads and trainings read their data with it' };
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return recommenderFindings.found(
      'duckdb-unavailable', `DuckDB cannot be loaded on ${process.platform}-${process.arch}, so no upload and no training works: ${said}`,
    );
  }
}
