/**
 * Tests whether reasons are true. For sampled recommendations on MovieLens (related films and films for users), deletes the data
 * that the reasons name, trains again, and compares the item's rank. Two controls use the same count: as many random deletions
 * (control), and a single unrelated deletion (noise), which shows how much retraining alone changes lists.
 *   node --import tsx bench/recommender/reasons.ts <folder with movies.csv and ratings.csv> [samples of each kind, 100] [seed, 7]
 *     [--per-training 34] [--control anywhere | history] [--arms named,control,noise] [--choose exponents | time]
 * Up to --per-training deletions that affect different films and users share one training; deletions in one training also move
 * each other's lists. For reasons from a user's history, the control removes interactions of anyone, or (history) of the same
 * user; in the latter case every removed interaction contributes some of the score.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import type { SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { openModel, type ModelReader } from '../../packages/recommender/engine/modelFile/openModel.ts';
import { writeModel } from '../../packages/recommender/engine/writeModel.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { explain } from '../../packages/recommender/engine/query/explain.ts';
import type { Reason } from '../../packages/recommender/engine/query/reason.ts';
import { Recommender } from '../../packages/recommender/engine/query/recommender.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { mean, printTable } from './rankings.ts';
import { readMovieLens, toTrainingData, type Entity, type Pair } from './readData.ts';

const usage = 'usage: reasons.ts <folder with movies.csv and ratings.csv> [samples per kind, 100] [seed, 7] [--per-training 34] [--control anywhere] [--arms named,control,noise] [--choose exponents]';
const { values: flags, positionals } = parseCommandLine({
  allowPositionals: true,
  options: { 'per-training': { type: 'string', default: '34' }, control: { type: 'string', default: 'anywhere' }, arms: { type: 'string', default: 'named,control,noise' }, choose: { type: 'string', default: 'exponents' } },
}, usage);
const [folder, samples = '100', seedText = '7'] = positionals;
const samplesPerKind = Number(samples);
const sampledRanks = 20;
const samplesPerTraining = Number(flags['per-training']);
const seed = Number(seedText);
/** A change of rank by at least this number counts as a move; the same thresholds apply to all arms. */
const moves = [1, 2, 3, 5];

type Kind = Exclude<Reason['kind'], 'trending'>;

/** One recommendation whose reasons of one kind are tested. */
interface Sample {
  kind: Kind;
  source: string;
  target: string;
  reasons: Reason[];
  rank: number;
  value: number;
  /** Total share of the score claimed by the reasons of this kind. */
  share: number;
  /** Interactions to delete, in the form `source\ntarget`. */
  pairs: string[];
}

interface Outcome {
  sample: Sample;
  rank: number;
  value: number;
}

if (folder === undefined) stopCommand('The folder is missing.', usage);
const data = readMovieLens(folder);
const audiences = new Map<string, Set<string>>();
for (const { source, target } of data.pairs) audiences.set(target, (audiences.get(target) ?? new Set()).add(source));
const { chosen: setting } = chooseSetting(toTrainingData(data.entities, data.pairs), flags.choose === 'time' ? 'time' : 'exponents', seed, () => {}) ?? { chosen: defaultSetting };
const scratch = mkdtempSync(join(tmpdir(), 'reasons-'));
try {
  await run();
} finally {
  rmSync(scratch, { recursive: true });
}

async function run(): Promise<void> {
  const model = await trainOn(data.entities, data.pairs);
  printTable(['related items', 'entries', 'without a reason'], countUnexplained(model));
  const samples = drawSamples(model);
  const random = createRandom(seed + 1);
  const arms: Record<string, Outcome[]> = Object.fromEntries(flags.arms.split(',').map((arm) => [arm, []]));
  for (const batch of shareTrainings(samples)) {
    const removals: Record<string, readonly Removal[]> = {
      named: batch,
      control: batch.map((sample) => randomRemoval(sample, random)),
      noise: batch.map((sample) => singleRemoval(sample, random)),
    };
    for (const [arm, outcomes] of Object.entries(arms)) outcomes.push(...(await remove(batch, removals[arm] ?? [])));
  }
  const kinds: Kind[] = ['co_interaction', 'attribute', 'history'];
  const groups: [string, (outcome: Outcome) => boolean][] = [
    ...kinds.map((kind): [string, (outcome: Outcome) => boolean] => [kind, ({ sample }) => sample.kind === kind]), ['all', () => true],
  ];
  printTable(
    ['reason', 'removed', 'sampled', ...moves.map((ranks) => `lost >= ${ranks}`), ...moves.map((ranks) => `gained >= ${ranks}`), 'share claimed', 'value lost'],
    groups.flatMap(([label, belongs]) => Object.entries(arms).map(([arm, outcomes]) => row(label, arm, outcomes.filter(belongs)))),
  );
  await model.close();
}

async function trainOn(entities: readonly Entity[], pairs: readonly Pair[]): Promise<ModelReader> {
  const training = toTrainingData(entities, pairs);
  const options = { setting, seed };
  const trained = computeNeighbours(training, computeFactors(training, options, () => {}), options, () => {});
  const path = join(scratch, 'model');
  await writeModel(trained, path);
  return openModel(path);
}

/** Counts the entries of related items without any reason by rank, for every tenth film. */
function countUnexplained(model: ModelReader): string[][] {
  const recommender = new Recommender(model);
  const bands = [[1, 10], [11, 20], [21, 50], [51, 100]].map(([first = 0, last = 0]) => ({ first, last, entries: 0, without: 0 }));
  for (const node of model.itemNode.filter((_, item) => item % 10 === 0)) {
    const ranking = recommender.recommend(node, { types: null, limit: 100, threshold: 0 });
    for (const [place, reasons] of explain(model, node, ranking).entries()) {
      const band = bands.find(({ last }) => place < last);
      if (band === undefined) continue;
      band.entries += 1;
      if (reasons.length === 0) band.without += 1;
    }
  }
  return bands.map(({ first, last, entries, without }) => [`ranks ${first} to ${last}`, String(entries), `${without}, ${((100 * without) / entries).toFixed(2)} %`]);
}

/**
 * Draws recommendations that have a reason of the kind: of uniformly random films and users, at a random rank among the first 20.
 */
function drawSamples(model: ModelReader): Sample[] {
  const random = createRandom(seed);
  const recommender = new Recommender(model);
  const samples: Sample[] = [];
  const wanted: Record<Kind, number> = { co_interaction: samplesPerKind, attribute: samplesPerKind, history: samplesPerKind };
  for (let attempt = 0; attempt < 100_000 && Object.values(wanted).some((left) => left > 0); attempt++) {
    const nodes = wanted.history > 0 && attempt % 2 === 0 ? model.userNode : model.itemNode;
    const node = nodes[random.below(nodes.length)] as number;
    const ranking = recommender.recommend(node, { types: null, limit: sampledRanks, threshold: 0 });
    const place = random.below(sampledRanks);
    if (place >= ranking.count) continue;
    const all = explain(model, node, ranking)[place] as Reason[];
    const kinds = [...new Set(all.map(({ kind }) => kind))].filter((kind) => kind !== 'trending' && wanted[kind] > 0);
    const kind = kinds[random.below(kinds.length)] as Kind | undefined;
    if (kind === undefined) continue;
    const target = model.ids.get(model.itemNode[ranking.item[place] as number] as number);
    const reasons = all.filter((reason) => reason.kind === kind);
    const source = model.ids.get(node);
    samples.push({
      kind, source, target, reasons,
      rank: place + 1,
      value: ranking.value[place] as number,
      share: reasons.reduce((sum, { share }) => sum + share, 0),
      pairs: namedPairs(source, target, reasons),
    });
    wanted[kind] -= 1;
  }
  return samples;
}

/** Returns the interactions that the reasons name, looked up in the data instead of the model. */
function namedPairs(source: string, target: string, reasons: readonly Reason[]): string[] {
  return reasons.flatMap((reason) => {
    if (reason.kind === 'history') return reason.ids.map((id) => `${source}\n${id}`);
    if (reason.kind !== 'co_interaction') return [];
    const others = audiences.get(reason.through ?? source) ?? new Set();
    const users = [...(audiences.get(target) ?? [])].filter((user) => others.has(user));
    if (users.length !== reason.count) throw new Error(`${source}, ${target}: ${users.length} common users, not ${reason.count}`);
    return users.map((user) => `${user}\n${target}`);
  });
}

/** Groups samples so that no sample deletes data of the films or the user of a different sample in its group. */
function shareTrainings(samples: readonly Sample[]): Sample[][] {
  const batches: { used: Set<string>; samples: Sample[] }[] = [];
  for (const sample of samples) {
    const names = sample.kind === 'history' ? [sample.source] : [sample.source, sample.target];
    let batch = batches.find(({ used, samples }) => samples.length < samplesPerTraining && names.every((name) => !used.has(name)));
    if (batch === undefined) batches.push((batch = { used: new Set(), samples: [] }));
    batch.samples.push(sample);
    for (const name of names) batch.used.add(name);
  }
  return batches.map(({ samples }) => samples);
}

/** Data to delete for one sample: interactions, and the attributes named by the reasons from two films. */
type Removal = Pick<Sample, 'pairs' | 'reasons' | 'source' | 'target'>;

async function remove(batch: readonly Sample[], removals: readonly Removal[]): Promise<Outcome[]> {
  const deleted = new Set(removals.flatMap(({ pairs }) => pairs));
  const entities = new Map(data.entities.map((entity) => [entity.id, entity]));
  for (const { source, target, reasons } of removals) {
    for (const id of [source, target]) {
      const entity = entities.get(id);
      if (entity !== undefined) entities.set(id, withoutAttributes(entity, reasons));
    }
  }
  const model = await trainOn(
    [...entities.values()],
    data.pairs.filter(({ source, target }) => !deleted.has(`${source}\n${target}`)),
  );
  const recommender = new Recommender(model);
  const outcomes = batch.map((sample) => ({ sample, ...rankIn(model, recommender, sample) }));
  await model.close();
  return outcomes;
}

function withoutAttributes(entity: Entity, reasons: readonly Reason[]): Entity {
  let { name, metadata } = entity;
  for (const reason of reasons) {
    for (const { field, value } of valuesOf(reason)) {
      const same = (text: string): boolean => text.toLowerCase() === value.toLowerCase();
      if (field === 'name') name = name.replaceAll(/[\p{L}\p{N}]{2,64}/gu, (word) => (same(word) ? '' : word));
      const { genres } = JSON.parse(metadata) as { genres: string[] };
      if (field === 'genres') metadata = JSON.stringify({ genres: genres.filter((genre) => !same(genre)) });
    }
  }
  return { ...entity, name, metadata };
}

/** Returns the rank after retraining. Ignores films that are unseen only because their interaction was deleted. */
function rankIn(model: ModelReader, recommender: Recommender, sample: Sample): { rank: number; value: number } {
  const node = model.findNode(sample.source);
  const ranking = recommender.recommend(node, { types: null, limit: 10_000, threshold: 0 });
  const returned = new Set(sample.kind === 'history' ? sample.pairs.map((pair) => pair.split('\n')[1]) : []);
  let rank = 0;
  for (let place = 0; place < ranking.count; place++) {
    const id = model.ids.get(model.itemNode[ranking.item[place] as number] as number);
    if (!returned.has(id)) rank += 1;
    if (id === sample.target) return { rank, value: ranking.value[place] as number };
  }
  return { rank: Number.POSITIVE_INFINITY, value: 0 };
}

/**
 * Deletes as much random data as the reasons name: interactions of anyone (or, if requested, of the same user); for attributes,
 * the genres of two other films.
 */
function randomRemoval(sample: Sample, random: SeededRandom): Removal {
  if (sample.kind === 'attribute') {
    const [source, target] = [0, 1].map(() => data.entities[random.below(data.entities.length)] as Entity) as [Entity, Entity];
    const genres = [source, target].flatMap(({ metadata }) => (JSON.parse(metadata) as { genres: string[] }).genres);
    const reasons = genres.slice(0, 2 * sample.reasons.flatMap(valuesOf).length).map(attributeOf);
    return { source: source.id, target: target.id, reasons, pairs: [] };
  }
  const from = sample.kind === 'history' && flags.control === 'history' ? data.pairs.filter(({ source }) => source === sample.source) : data.pairs;
  const pairs = sample.pairs.map(() => from[random.below(from.length)] as Pair);
  return { ...sample, reasons: [], pairs: pairs.map(({ source, target }) => `${source}\n${target}`) };
}

/** The attribute of a reason and those that stand for it; none for other kinds. */
function valuesOf(reason: Reason): { field: string; value: string }[] {
  return reason.kind === 'attribute' ? [reason, ...(reason.together_with ?? [])] : [];
}

function attributeOf(genre: string): Reason {
  return { kind: 'attribute', field: 'genres', value: genre, count: 0, share: 0, text: '' };
}

/** Deletes one interaction of a film and a user that the sample does not name. */
function singleRemoval(sample: Sample, random: SeededRandom): Removal {
  for (;;) {
    const { source, target } = data.pairs[random.below(data.pairs.length)] as Pair;
    if (source !== sample.source && target !== sample.source && target !== sample.target) return { ...sample, reasons: [], pairs: [`${source}\n${target}`] };
  }
}

function row(label: string, arm: string, outcomes: readonly Outcome[]): string[] {
  const part = (test: (lost: number) => boolean): string =>
    `${((100 * outcomes.filter(({ rank, sample }) => test(rank - sample.rank)).length) / outcomes.length).toFixed(1)} %`;
  const kept = outcomes.filter(({ sample }) => sample.value > 0 && sample.kind !== 'history');
  return [
    label, arm, String(outcomes.length),
    ...moves.map((ranks) => part((lost) => lost >= ranks)),
    ...moves.map((ranks) => part((lost) => lost <= -ranks)),
    mean(outcomes.map(({ sample }) => sample.share)).toFixed(3),
    // Stored lists of users contain no values.
    kept.length === 0 ? '' : mean(kept.map(({ sample, value }) => 1 - value / sample.value)).toFixed(3),
  ];
}
