/**
 * Trains with the service's engine, ranks all unseen items for every user with held-out items, and prints quality and cost in one
 * line:
 *   npm run -s bench -- recommend --train FILE --test FILE [--k 20] [--setting auto|default|JSON] [--json]
 *   npm run -s bench -- recommend --interactions FILE.csv [--entities FILE.csv] --holdout time [--k 20] …
 * Without --setting, the setting is chosen as in a training without parameters (auto). A setting in JSON has the exponents under
 * their symbols: '{"pu":-0.5,"pa":-0.5,"pb":-0.05,"T":-1,"b":2,"allPairs":true}'.
 * Each line of `--train` and `--test` is `user item item …`. cpu_seconds covers the training on all threads and the choice of the
 * setting (choice_cpu_seconds), but not reading and ranking. The final evaluation of a service training is omitted, because the test file replaces it.
 */
import { chooseSetting } from '../../packages/recommender/engine/choice/chooseSetting.ts';
import { rankUsers } from '../../packages/recommender/engine/evaluation/rankUsers.ts';
import { scoreHistory } from '../../packages/recommender/engine/evaluation/scoreHistory.ts';
import { computeFactors } from '../../packages/recommender/engine/factors/computeFactors.ts';
import { computeNeighbours } from '../../packages/recommender/engine/neighbours/computeNeighbours.ts';
import { defaultSetting } from '../../packages/recommender/engine/data/defaultSetting.ts';
import type { TrainedModel } from '../../packages/recommender/engine/data/trainedModel.ts';
import type { OperatorSetting, TrainingData } from '../../packages/recommender/engine/data/trainingData.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { holdOutLatest, type HeldOut } from './holdOut.ts';
import { readTables } from './readTables.ts';
import { itemId, readUserItems, toPairs, userId } from './readUserItems.ts';

const usage =
  'usage: npm run -s bench -- recommend (--train FILE --test FILE | --interactions FILE.csv [--entities FILE.csv] --holdout time) [--k 20] [--setting auto|default|JSON] [--json]';

const seed = 1;

type Wanted = 'auto' | 'default' | OperatorSetting;

interface Arguments {
  k: number;
  setting: Wanted;
  load(): Promise<HeldOut>;
}

/** Quality and cost by name; `setting` contains the exponents. */
export type Figures = Record<string, number | Record<string, unknown>>;

export async function run(args: readonly string[]): Promise<void> {
  const figures = await figuresOf(args);
  if (args.includes('--json')) console.log(JSON.stringify(figures));
  else for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(12)} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
}

/**
 * Trains and evaluates as the arguments request.
 * Ends the process at `--help` and at an unknown option.
 * @throws Error with the usage if an argument has another fault; Error with the line if a file is invalid
 */
export async function figuresOf(args: readonly string[]): Promise<Figures> {
  const { k, setting, load } = readArguments(args);
  const { data, wanted } = await load();
  const { model, chosen, tried, seconds, choiceSeconds } = train(data, setting);
  const quality = measure(model, wanted, k);
  return {
    [`recall@${k}`]: round(quality.recall, 4),
    [`ndcg@${k}`]: round(quality.ndcg, 4),
    users: quality.users,
    cpu_seconds: round(seconds, 2),
    choice_cpu_seconds: round(choiceSeconds, 2),
    tried,
    peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    setting: { name: typeof setting === 'object' ? 'fixed' : setting, ...chosen },
  };
}

function readArguments(args: readonly string[]): Arguments {
  const { values } = parseCommandLine({
    args: [...args],
    options: {
      train: { type: 'string' }, test: { type: 'string' }, interactions: { type: 'string' }, entities: { type: 'string', multiple: true },
      holdout: { type: 'string' }, k: { type: 'string', default: '20' }, setting: { type: 'string', default: 'auto' }, json: { type: 'boolean', default: false },
    },
  }, usage);
  const { train: trainPath, test: testPath, interactions, entities = [], holdout } = values;
  const setting = readSetting(values.setting);
  const k = Number(values.k);
  if (!Number.isInteger(k) || k < 1 || k > 1000) throw new Error(`--k is a whole number from 1 to 1000, not ${values.k}\n${usage}`);
  if (trainPath !== undefined && testPath !== undefined && interactions === undefined) {
    return { k, setting, load: () => loadSplit(trainPath, testPath) };
  }
  if (interactions === undefined || trainPath !== undefined || testPath !== undefined) throw new Error(usage);
  if (holdout !== 'time') throw new Error(`--holdout is time: each user's last tenth is held out\n${usage}`);
  return { k, setting, load: async () => holdOutLatest(await readTables([interactions, ...entities])) };
}

function readSetting(text: string): Wanted {
  if (text === 'auto' || text === 'default') return text;
  if (!text.startsWith('{')) throw new Error(`--setting is auto, default or JSON, not ${text}\n${usage}`);
  return JSON.parse(text) as OperatorSetting;
}

async function loadSplit(trainPath: string, testPath: string): Promise<HeldOut> {
  const data = toPairs(await readUserItems(trainPath));
  const wanted = new Map<string, string[]>();
  for (const [user, items] of await readUserItems(testPath)) {
    if (items.length > 0) wanted.set(userId(user), [...new Set(items)].map(itemId));
  }
  return { data, wanted };
}

interface Trained {
  model: TrainedModel;
  chosen: OperatorSetting;
  /** Number of settings that the choice tried. */
  tried: number;
  /** CPU seconds of the training and of the choice before it. */
  seconds: number;
  choiceSeconds: number;
}

function train(data: TrainingData, wanted: Wanted): Trained {
  const before = cpuSeconds();
  const choice = typeof wanted === 'object' ? null : chooseSetting(data, wanted === 'auto' ? 'exponents' : 'time', seed, () => {});
  const options = { setting: typeof wanted === 'object' ? wanted : (choice?.chosen ?? defaultSetting), seed };
  const chosenAt = cpuSeconds();
  const model = computeNeighbours(data, computeFactors(data, options, () => {}), options, () => {});
  return { model, chosen: options.setting, tried: choice?.candidates.length ?? 0, seconds: cpuSeconds() - before, choiceSeconds: chosenAt - before };
}

/**
 * Returns means over the users with held-out items. Held-out items that the training data lacks count as wanted but cannot be
 * found.
 */
export function measure(model: TrainedModel, wanted: HeldOut['wanted'], k: number): { recall: number; ndcg: number; users: number } {
  const node = new Map(model.nodes.ids.map((id, number) => [id, number]));
  const users: number[] = [];
  const pointer = new Float64Array(model.userNode.length + 1);
  const lists = new Map<number, number[]>();
  for (const [id, items] of wanted) {
    const user = model.nodeUser[node.get(id) ?? -1] ?? -1;
    if (user < 0) continue;
    users.push(user);
    lists.set(user, items.map((item, at) => model.nodeItem[node.get(item) ?? -1] ?? -1 - at));
  }
  for (let user = 0; user + 1 < pointer.length; user++) pointer[user + 1] = (pointer[user] as number) + (lists.get(user)?.length ?? 0);
  const index = Int32Array.from(Array.from({ length: model.userNode.length }, (_, user) => lists.get(user) ?? []).flat());
  const scoreUser = scoreHistory(model.history, model.operator, model.transitions, model.setting);
  const { recall, ndcg } = rankUsers(Int32Array.from(users), model.history, { pointer, index }, model.itemNode.length, scoreUser, k);
  return { recall: mean(recall), ndcg: mean(ndcg), users: users.length };
}

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value: number, digits: number): number => Number(value.toFixed(digits));
const cpuSeconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
