import { parseCommandLine, parseWholeNumber } from '../../bench/harness/parseCommandLine.ts';
import { findTestedCommit, recordResult } from '../reliability/results.ts';
import { isInterrupted, runInterruptibly } from './harness/interruption.ts';
import { isClean } from './harness/killLoop.ts';
import { runGatewayRounds, type RoundRecord } from './gateway/gatewayRounds.ts';

// Kills the gateway under load with SIGKILL at the points of its pipeline, and PostgreSQL too in a third of the rounds. Compares
// the responses to clients with the events of the chain, and the gas budgets with the receipts.
// Every second stretch of rounds uses the contract that reverts whole batches. A round takes about 5 s. Needs Linux.

const usage = 'usage: node --import tsx tests/crash/gatewayRounds.ts [--rounds 300] [--seed 1] [--record]';
const { values } = parseCommandLine({
  options: { rounds: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' }, record: { type: 'boolean', default: false } },
}, usage);
const rounds = parseWholeNumber('rounds', values.rounds, 1, usage);
const seed = parseWholeNumber('seed', values.seed, 0, usage);

/** Rounds per stretch. Each stretch has a new chain and ledger, so that the checks stay fast. */
const stretch = 50;

const commit = values.record ? await findTestedCommit() : null;
const started = performance.now();
const total = { kills: 0, acknowledged: 0, lost: 0, twice: 0, faulty: 0, unknown: 0 };
let clean = true;
/** Why the rounds ended early; null if they did not. */
const failure = await runInterruptibly(async () => {
  for (let first = 1, at = 0; first <= rounds && clean && !isInterrupted(); first += stretch, at += 1) {
    const count = Math.min(stretch, rounds - first + 1);
    const onRound = ({ round, contract, point, victims, reached, milliseconds, acknowledged }: RoundRecord): void => {
      console.log(`round ${round}: ${contract}, ${point}${reached ? '' : ' (not reached)'}, ${victims}, ${milliseconds} ms, ${acknowledged} acknowledged`);
    };
    const report = await runGatewayRounds({ rounds: count, seed: seed + at, isolates: at % 2 === 0, firstRound: first, onRound });
    total.kills += report.kills;
    total.acknowledged += report.acknowledged;
    for (const name of ['lost', 'twice', 'faulty', 'unknown'] as const) {
      total[name] += report[name].length;
      for (const line of report[name].slice(0, 20)) console.log(`  ${name}: ${line}`);
    }
    const ends = Object.entries(report.ends).map(([how, times]) => `${times} ${how}`).join(', ');
    console.log(`until round ${first + count - 1}: ${report.acknowledged} acknowledged, ended ${ends}; ${report.gas.spent} gas counted, ${report.gas.billed} paid, ${report.gas.reserved} still set aside`);
    clean = isClean(report) && report.gas.spent === report.gas.billed && report.gas.reserved === 0;
  }
}).then(() => null, (error: unknown) => {
  console.error(error);
  return String(error instanceof Error ? error.message : error).split('\n', 1).join('');
});
clean &&= failure === null;
const seconds = Math.round((performance.now() - started) / 1_000);
const counts = `${total.kills} kills, ${total.acknowledged} messages acknowledged, ${total.lost} lost, ${total.twice} applied twice, ` +
  `${total.faulty} told wrongly, ${total.unknown} unasked`;
const line = failure === null ? counts : `${failure}; in the stretches before, ${counts}`;
console.log(`${line}; ${seconds} s`);
if (commit !== null) {
  await recordResult('gatewayRounds', {
    command: `npm run test:crash -- --rounds ${rounds} --seed ${seed}`, commit, outcome: clean ? 'passed' : 'failed', seconds, result: line,
  });
}
process.exitCode = clean ? 0 : 1;
