import { findProgram } from '@vouch/platform/process/spawnGroup';

/** Small data: no compiler of the second tier, no hundreds of parts. */
const lean = '--driver-java-options -XX:TieredStopAtLevel=1 --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2';

/**
 * How tests start Spark: as VOUCH_TEST_SPARK_SUBMIT says (the setting itself would reach every server), or with spark-submit from
 * PATH; null where there is none. `npm run test:spark` requires it.
 * @param master address of the cluster, e.g. `local[2]`
 */
export function sparkOfTests(master: string): string | null {
  const command = process.env['VOUCH_TEST_SPARK_SUBMIT'] ?? findProgram('spark-submit');
  if (command !== null) return `${command} --master ${master} ${lean}`;
  const why = 'there is no spark-submit in PATH and VOUCH_TEST_SPARK_SUBMIT is not set';
  if (process.env['VOUCH_TEST_SPARK'] === 'require') throw new Error(why);
  console.log(`skipped: ${why}. pip install pyspark brings it; npm run test:spark requires it.`);
  return null;
}
