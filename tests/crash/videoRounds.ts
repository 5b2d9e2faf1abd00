import { parseCommandLine, parseWholeNumber, stopCommand } from '../../bench/harness/parseCommandLine.ts';
import { killVideoRuns } from './harness/videoRuns.ts';

// Queues summarizations, cancels some, kills the server with SIGKILL during the others, and checks the outcome of each run.
// Twenty runs take about two minutes on two free cores. Needs Linux.

const usage = 'usage: node --import tsx tests/crash/videoRounds.ts [--runs 20] [--cancelled 5] [--kills 2]';
const whole = { type: 'string' } as const;
const { values } = parseCommandLine({ options: { runs: { ...whole, default: '20' }, cancelled: { ...whole, default: '5' }, kills: { ...whole, default: '2' } } }, usage);
const runs = parseWholeNumber('runs', values.runs, 0, usage);
const cancelled = parseWholeNumber('cancelled', values.cancelled, 0, usage);
const kills = parseWholeNumber('kills', values.kills, 0, usage);
if (cancelled > runs) stopCommand(`--cancelled ${cancelled} is more than --runs ${runs}.`, usage);
const { ends, faults } = await killVideoRuns({ runs, cancelled, kills });
console.log(`${runs} runs, ${cancelled} cancelled, ${kills} kills: ${Object.entries(ends).map(([status, count]) => `${count} ${status}`).join(', ')}; ${faults.length} faults`);
for (const fault of faults) console.log(`  ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
