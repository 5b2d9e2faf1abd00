import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { createLogger } from '@vouch/platform/log/logger';
import { parseCommandLine, stopCommand } from '../../bench/harness/parseCommandLine.ts';
import { reportTable } from '../../bench/harness/reportTable.ts';
import { bundleSimulation } from './bundle.ts';
import { findPlant } from './findPlants.ts';
import { plants } from './plants/plants.ts';
import { startProgram } from './startProgram.ts';

// Simulates several processes of an installation on a simulated clock and network, with faults that the seed chooses.
// With --plants, puts one fault after the other into the source (those whose names contain --only), and prints after how many seeds each is found;
// --record writes the table to bench/results.

const usage = 'usage: npm run sim -- [--seed 1] [--seeds 1] [--hours H] [--shrink 300] [--scenario jobs|gateway|webhooks|blobs|events|nodes|days] [--plants [--only TEXT] [--record]]';
const { values } = parseCommandLine({
  options: {
    scenario: { type: 'string', default: 'jobs' }, seed: { type: 'string', default: '1' }, seeds: { type: 'string', default: '1' },
    hours: { type: 'string' }, shrink: { type: 'string', default: '300' },
    plants: { type: 'boolean', default: false }, record: { type: 'boolean', default: false }, only: { type: 'string', default: '' },
  },
}, usage);
const [firstSeed, seeds, shrinkTries] = [values.seed, values.seeds, values.shrink].map(Number) as [number, number, number];
const hours = values.hours === undefined ? null : Number(values.hours);
if (!Number.isInteger(firstSeed) || !Number.isInteger(seeds) || seeds < 1 || !(hours === null || hours > 0) || !(shrinkTries >= 0)) stopCommand('--seed and --seeds are whole numbers, --hours is positive, --shrink is not negative.', usage);

const folder = await mkdtemp(join(tmpdir(), 'vouch-sim-'));
// If this program runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
await chmod(folder, 0o755);
const server = await startPostgres({ folder, log: createLogger('warn'), temporary: true });
try {
  await (values.plants ? findPlants(server.connectionString) : runSeeds(server.connectionString));
} finally {
  await server.stop();
}

async function runSeeds(url: string): Promise<void> {
  const bundle = await bundleSimulation('unchanged', null);
  const began = performance.now();
  let simulatedMs = 0;
  await startProgram(bundle, { url, scenario: values.scenario, firstSeed, seeds, hours, shrinkTries }, (said) => {
    const { run } = said;
    if (said.said === 'shrunk') {
      console.log(`\nThe shortest story found, in ${said.tries} runs: ${said.work} requests, ${said.faults} faults\n\n${run.story!.join('\n')}`);
      return;
    }
    simulatedMs += run.simulatedMs;
    const found = run.broken === null ? `all promises held; ${Object.entries(run.figures!.counts).map(([how, count]) => `${count} ${how}`).join(', ')}` : `BROKEN: ${run.broken.observed}`;
    console.log(`seed ${run.seed}  ${run.digest}  ${(run.simulatedMs / 3_600_000).toFixed(2)} h, ${run.steps} steps: ${found}`);
    if (run.broken === null) return;
    process.exitCode = 1;
    if (shrinkTries === 0) console.log(`\n${run.story!.join('\n')}`);
  });
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${(simulatedMs / 3_600_000).toFixed(1)} simulated hours in ${seconds.toFixed(1)} s: ${(simulatedMs / 60_000 / seconds).toFixed(1)} hours per minute`);
}

async function findPlants(url: string): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const plant of plants.filter(({ scenario, name }) => scenario === values.scenario && name.includes(values.only))) {
    const { seeds: needed, promise, simulatedHours } = await findPlant(plant, { url, firstSeed, seeds, hours });
    console.log(`${plant.name}: ${needed === null ? `NOT FOUND in ${seeds} seeds` : `seed ${firstSeed + needed - 1}`}, ${simulatedHours.toFixed(1)} h${promise === null ? '' : `: ${promise}`}`);
    rows.push([plant.name, plant.file, needed ?? `not in ${seeds}`, simulatedHours.toFixed(2), promise ?? '']);
    if (needed === null) process.exitCode = 1;
  }
  if (!values.record) return;
  await reportTable({
    name: `simulation-plants-${values.scenario}`, title: `Faults planted into the source, found by the simulation of ${values.scenario}`,
    command: `npm run sim -- --scenario ${values.scenario} --plants --seeds ${seeds} --record`,
    data: `seeds from ${firstSeed}; each runs until a promise is broken`,
    columns: ['planted fault', 'file', 'seeds', 'simulated hours', 'broken promise'], rows,
  });
}
