/**
 * Measures how soon a cancelled training ends, through the service. Trainings of one generated data set are cancelled at evenly
 * spaced moments of their duration. The benchmark measures the time from the request to the end of the training process and to
 * the status `cancelled`. Linux only.
 *   node --import tsx bench/recommender/cancel.ts [--interactions 600000] [--moments 20]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../packages/recommender/conformance/client.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { serveVouch } from '../harness/serveVouch.ts';
import { printTable } from './rankings.ts';

const { values: flags } = parseCommandLine({ options: { interactions: { type: 'string', default: '600000' }, moments: { type: 'string', default: '20' } } });
const [interactions, moments] = [Number(flags.interactions), Number(flags.moments)];
const modelId = 'bench';

/** Generates users with thirty items each; the popularity of items is a power of the rank. */
function interactionRows(): string {
  const rows = ['type,source_id,target_id,timestamp,metadata'];
  const items = interactions / 15;
  for (let user = 0; user < interactions / 30; user++) {
    for (let at = 0; at < 30; at++) rows.push(`view,u${user},i${Math.floor(items * (((user * 7919 + at * 104_729) % 100_003) / 100_003) ** 3)},,`);
  }
  return `${rows.join('\n')}\n`;
}

/** Whether a training process, or the shell that guards it, is a descendant of the service. */
function trains(service: number): boolean {
  const parents = new Map<number, number>();
  const trainings: number[] = [];
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), Number(parent));
      if (state !== 'Z' && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('train.child')) trainings.push(Number(name));
    } catch {
      // The process has ended since the listing.
    }
  }
  return trainings.some((process) => {
    for (let next = process; next > 1; next = parents.get(next) ?? 0) if (next === service) return true;
    return false;
  });
}

const vouch = await serveVouch();
try {
  const client = new Client(vouch.url, vouch.key);
  await client.upload([interactionRows()]);
  const begun = performance.now();
  await client.train({ model_id: modelId });
  const whole = performance.now() - begun;
  const slowest = new Map<string, { times: number; gone: number; told: number }>();
  for (let moment = 0; moment < moments; moment++) {
    const start = performance.now();
    await client.begin({ model_id: modelId });
    await sleep(Math.max(0, (whole * (moment + 0.5)) / moments - (performance.now() - start)));
    const { stage, status } = (await client.status(modelId)).json<{ stage: string | null; status: string }>();
    if (status !== 'running' && status !== 'queued') continue;
    const asked = performance.now();
    const told = client.cancel(modelId).then(() => client.untilStatus(modelId)).then(() => performance.now() - asked);
    while (trains(vouch.processId)) await sleep(5);
    const gone = performance.now() - asked;
    const of = slowest.get(stage ?? status) ?? { times: 0, gone: 0, told: 0 };
    slowest.set(stage ?? status, { times: of.times + 1, gone: Math.max(of.gone, gone), told: Math.max(of.told, await told) });
  }
  process.stdout.write(`${interactions} interactions, a whole training takes ${(whole / 1000).toFixed(1)} s\n\n`);
  printTable(
    ['stage', 'cancelled', 'slowest end of its process, ms', 'slowest status, ms'],
    [...slowest].map(([stage, { times, gone, told }]) => [stage, String(times), gone.toFixed(0), told.toFixed(0)]),
  );
} finally {
  await vouch.stop();
}
