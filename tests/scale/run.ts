import { contractHistories } from './contractHistories.ts';
import { contractMutations } from './contractMutations.ts';
import { millionAttributes, millionInteractions } from './extremeTrainings.ts';
import { editLists } from './editLists.ts';
import { explainedPairs } from './explainedPairs.ts';
import { fuzzedRequests } from './fuzzedRequests.ts';
import { fullDiskTraining, fullDiskUpload } from './fullDisk.ts';
import { fullDiskRender } from './fullDiskRender.ts';
import { fullDiskVideo } from './fullDiskVideo.ts';
import { hostileDownloads } from './hostileDownloads.ts';
import type { HeavyTest } from './heavyTest.ts';
import { kernelCompilation } from './kernelCompilation.ts';
import { killedDeployment } from './killedDeployment.ts';
import { killedEvents } from './killedEvents.ts';
import { lateQuote } from './lateQuote.ts';
import { mutatedAttestations } from './mutatedAttestations.ts';
import { mutatedMedia, tracedMedia } from './mutatedMedia.ts';
import { schemathesis } from './schemathesis.ts';
import { signerQuota } from './signerQuota.ts';
import { standby } from './standby.ts';
import { tooManyBytes } from './tooManyBytes.ts';
import { tooManyRows } from './tooManyRows.ts';

/** Runs tests that take minutes or gigabytes. Usage: npm run test:heavy [-- <name> …] */
const tests: readonly HeavyTest[] = [lateQuote, tooManyBytes, tooManyRows, fullDiskUpload, fullDiskTraining, fullDiskVideo, fullDiskRender, mutatedMedia, tracedMedia, hostileDownloads, mutatedAttestations, contractHistories, contractMutations, killedDeployment, killedEvents, kernelCompilation, millionInteractions, millionAttributes, schemathesis, standby, signerQuota, fuzzedRequests, explainedPairs, editLists];

async function runTest(test: HeavyTest): Promise<'passed' | 'failed' | 'skipped'> {
  console.log(`\n${test.name}: ${test.guarantee}`);
  const reason = await test.skip();
  if (reason !== null) {
    console.log(`  skipped: ${reason}`);
    return 'skipped';
  }
  const started = performance.now();
  try {
    await test.run((line) => console.log(`  ${line}`));
    console.log(`  passed in ${Math.round((performance.now() - started) / 1000)} s`);
    return 'passed';
  } catch (error) {
    console.log(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    return 'failed';
  }
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !tests.some((test) => test.name === name));
if (unknown.length > 0) {
  console.error(`There is no heavy test ${unknown.join(', ')}. There are: ${tests.map((test) => test.name).join(', ')}.`);
  process.exit(2);
}

const outcomes = { passed: 0, failed: 0, skipped: 0 };
for (const test of tests) {
  if (names.length === 0 || names.includes(test.name)) outcomes[await runTest(test)]++;
}
console.log(`\n${outcomes.passed} passed, ${outcomes.failed} failed, ${outcomes.skipped} skipped`);
process.exitCode = outcomes.failed === 0 ? 0 : 1;
