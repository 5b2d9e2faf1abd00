import { parseArgs } from 'node:util';
import { killVideoRuns } from './harness/videoRuns.ts';

// Queues summarizations, cancels some, kills the server with SIGKILL during the others, and checks the outcome of each run.
// Usage: node --import tsx tests/crash/videoRounds.ts [--runs 20] [--cancelled 5] [--kills 2]
// Twenty runs take about two minutes on two free cores. Needs Linux.

const whole = { type: 'string' } as const;
const { values } = parseArgs({ options: { runs: { ...whole, default: '20' }, cancelled: { ...whole, default: '5' }, kills: { ...whole, default: '2' } } });
const [runs, cancelled, kills] = [values.runs, values.cancelled, values.kills].map(Number) as [number, number, number];
if (![runs, cancelled, kills].every((count) => Number.isInteger(count) && count >= 0) || cancelled > runs) {
  throw new Error('--runs, --cancelled and --kills are whole numbers, and no more runs are cancelled than there are');
}
const { ends, faults } = await killVideoRuns({ runs, cancelled, kills });
console.log(`${runs} runs, ${cancelled} cancelled, ${kills} kills: ${Object.entries(ends).map(([status, count]) => `${count} ${status}`).join(', ')}; ${faults.length} faults`);
for (const fault of faults) console.log(`  ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
