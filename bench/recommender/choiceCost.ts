/**
 * Processor time of a training by stage, with a setting that the training chooses or with the default, and the digest of its model and of its choice: a change that shall only take
 * less time leaves both digests as they are. Run the settings, or two checkouts, in turn.
 *   node --import ./bench/harness/compiled.mjs bench/recommender/choiceCost.ts <folder of ml-latest-small> [--setting auto|default] [--plain] [--untimed]
 *   node --import ./bench/harness/compiled.mjs bench/recommender/choiceCost.ts --generated 3|6|20|60 [--seed 41] …
 * `--plain` leaves out the file of items, `--untimed` the times.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { toTrainingData } from './readData.ts';
import { describedOptions, describedUsage, readDescribed } from './readDescribed.ts';

const seed = 1;
const usage = `usage: choiceCost.ts ${describedUsage}, each with [--setting auto|default] [--plain] [--untimed]`;
const { values: flags, positionals: [folder] } = parseCommandLine({
  allowPositionals: true,
  options: { ...describedOptions, setting: { type: 'string', default: 'auto' }, plain: { type: 'boolean', default: false }, untimed: { type: 'boolean', default: false } },
}, usage);
const { entities, pairs } = readDescribed(flags, folder) ?? stopCommand('No data.', usage);
const data = toTrainingData(flags.plain ? [] : entities, flags.untimed ? pairs.map((pair) => ({ ...pair, time: Number.NaN })) : pairs);

const seconds: Record<string, string> = {};
let before = processorSeconds();
const choice = flags.setting === 'default' ? null : chooseSetting(data, 'exponents', seed, () => {});
note('choice');
const options = { setting: choice?.chosen ?? defaultSetting, seed };
const factors = computeFactors(data, options, () => {});
note('factors');
const model = computeNeighbours(data, factors, options, () => {});
note('lists');
const path = mkdtempSync(join(tmpdir(), 'choice-cost-'));
await writeModel(model, join(path, 'model'));
console.log(JSON.stringify({ ...seconds, model: digest(readFileSync(join(path, 'model'))), choice_digest: digest(JSON.stringify(choice)), setting: options.setting }));
rmSync(path, { recursive: true });

function note(stage: string): void {
  const now = processorSeconds();
  seconds[stage] = (now - before).toFixed(2);
  before = now;
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
