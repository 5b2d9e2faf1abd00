import { findProgram } from '@vouch/platform/process/spawnGroup';

/** Options for small data: no second-tier compilation, no web interface, two partitions instead of hundreds. */
const lean = '--driver-java-options -XX:TieredStopAtLevel=1 --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2';

/**
 * Command to start Spark in tests: VOUCH_TEST_SPARK_SUBMIT (a separate variable, because VOUCH_SPARK_SUBMIT would affect
 * every server), or spark-submit from PATH; null if there is neither. `npm run test:spark` requires Spark.
 * @param master URL of the cluster, e.g. `local[2]`
 */
export function sparkOfTests(master: string): string | null {
  const command = process.env['VOUCH_TEST_SPARK_SUBMIT'] ?? findProgram('spark-submit');
  if (command !== null) return `${command} --master ${master} ${lean}`;
  const why = 'there is no spark-submit in PATH and VOUCH_TEST_SPARK_SUBMIT is not set';
  if (process.env['VOUCH_TEST_SPARK'] === 'require') throw new Error(why);
  console.log(`skipped: ${why}. pip install pyspark brings it; npm run test:spark requires it.`);
  return null;
}
