import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import { runChild } from '@vouch/platform/process/childProcess';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { Problem } from '@vouch/platform/errors/problem';
import { recommenderFindings } from '../../errors/recommenderFindings.ts';
import { lastLines, sparkEnvironment, sparkWords } from './runSpark.ts';

/** Maximum time to start, in ms. A Java virtual machine usually starts within seconds, on a busy machine more slowly. */
const patienceMs = 60_000;

/** Checks that the command of VOUCH_SPARK_SUBMIT runs; does not connect to the cluster. */
export function sparkCheck(command: string, timers: Timers): DoctorCheck {
  return { name: 'spark', run: async () => [await tryCommand(command, timers)] };
}

async function tryCommand(command: string, timers: Timers): Promise<Finding> {
  let words: string[] = [];
  try {
    words = sparkWords(command);
    await runChild(
      {
        command: words[0] as string, args: [...words.slice(1), '--version'], env: sparkEnvironment(), name: 'spark-submit',
        limits: { wallMs: patienceMs, outputBytes: 1_000_000 },
      },
      timers,
    );
    return { status: 'ok', detail: `${words[0]} starts; trainings prepare their data and compute candidates with Spark` };
  } catch (error) {
    if (error instanceof Problem) return recommenderFindings.found('spark-unavailable', error.detail);
    if (!(error instanceof ChildFailed)) throw error;
    const said = lastLines(error.stderrTail, words);
    return recommenderFindings.found('spark-unavailable', `VOUCH_SPARK_SUBMIT does not run: ${said === '' ? error.message : said}`);
  }
}
