/**
 * Time of POST /v1/recommender/recommend without the recording of answers, with it, and with five rules in force: two servers, which answer in turns in one run.
 * Then the time of a preview of a rule.
 * @example node --import tsx bench/serving/rules.ts --rounds 15 --requests 1000
 */
import { readFileSync } from 'node:fs';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { entityPieces, interactionPieces, type CatalogueShape } from '../data/generate.ts';
import { median, medianInterval, quantile } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { processorSeconds } from '../harness/processorSeconds.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus } from '../harness/vouchClient.ts';

const option = (value: string): { type: 'string'; default: string } => ({ type: 'string', default: value });
const { values } = parseCommandLine({ options: { items: option('20000'), users: option('50000'), interactions: option('1000000'), rounds: option('15'), requests: option('1000') } });
const shape: CatalogueShape = { items: Number(values.items), users: Number(values.users), interactions: Number(values.interactions), seed: 1 };
const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
const random = seededRandom(7);

const filters = ['item.price < 90', 'item.maker != "maker 7"', '!(item.category in ["category 3", "category 4"])', 'item.price >= 0.5', 'item.name != ""'].map((filter) => ({ filter }));
const boosts = ['item.maker == "maker 5" ? 1.5 : 1.0', 'item.price < 20 ? 1.2 : 1.0'].map((boost) => ({ boost }));
const mixed = [...filters.slice(0, 3), ...boosts];
/** The server that answers, the rules in force, and what the request has. Both servers answer the same ways, so that both are equally warm. */
const ways = {
  'not recorded': { isRecorded: false, rules: [], more: {} },
  'not recorded, five filters in force': { isRecorded: false, rules: filters, more: {} },
  'not recorded, three filters and two boosts in force': { isRecorded: false, rules: mixed, more: {} },
  recorded: { isRecorded: true, rules: [], more: {} },
  'five filters in force': { isRecorded: true, rules: filters, more: {} },
  'three filters and two boosts in force': { isRecorded: true, rules: mixed, more: {} },
  'the same filters and boosts in the request': {
    isRecorded: true, rules: [],
    more: { filter: filters.slice(0, 3).map(({ filter }) => `(${filter})`).join(' && '), boost: boosts.map(({ boost }) => `(${boost})`).join(' * ') },
  },
} as const satisfies Record<string, { isRecorded: boolean; rules: readonly object[]; more: object }>;
type Way = keyof typeof ways;
/** Rows of the table. */
const comparisons: readonly [Way, Way][] = [
  ['recorded', 'not recorded'], ['five filters in force', 'not recorded, five filters in force'],
  ['three filters and two boosts in force', 'not recorded, three filters and two boosts in force'],
  ['five filters in force', 'recorded'], ['three filters and two boosts in force', 'recorded'],
  ['three filters and two boosts in force', 'the same filters and boosts in the request'],
];

const item = (): string => `i${random.below(shape.items)}`;
const questions = {
  'a user': () => ({ entity_id: `u${random.below(shape.users / 50)}` }),
  'a session of 5 items': () => ({ history: Array.from({ length: 5 }, () => ({ id: item() })) }),
} as const;
type Question = keyof typeof questions;

async function start(recordedAnswers: number): Promise<ServedVouch> {
  const server = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_RECORDED_ANSWERS: String(recordedAnswers) } });
  const client = connectVouch(server.url, server.key);
  expectStatus(await client.upload([{ name: 'entities.csv', content: entityPieces(shape) }, { name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
  const { status } = await client.train('bench', { parameters: { setting: 'default' } });
  if (status !== 'completed') throw new Error(`the training ended with ${status}`);
  return server;
}

async function send({ url, key }: ServedVouch, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${url}/v1/recommender/${path}`, { method, headers: { apikey: key, 'content-type': 'application/json' }, body: body === undefined ? null : JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function setRules(server: ServedVouch, rules: readonly object[]): Promise<void> {
  for (const { name } of await send(server, 'GET', 'rules') as { name: string }[]) await send(server, 'DELETE', `rules/${name}`);
  for (const [at, rule] of rules.entries()) await send(server, 'PUT', `rules/rule-${at}`, rule);
}

interface Measured {
  p50: number;
  p99: number;
  /** Milliseconds of the processor per 1,000 requests, of the server and its PostgreSQL. */
  processor: number;
}

/** Processor seconds of a process and its descendants. */
function secondsOfTree(processId: number): number {
  const children = readFileSync(`/proc/${processId}/task/${processId}/children`, 'latin1').split(' ').filter((word) => word.trim() !== '').map(Number);
  return processorSeconds(processId) + children.reduce((sum, child) => sum + secondsOfTree(child), 0);
}

async function measure(server: ServedVouch, question: () => object): Promise<Measured> {
  const times: number[] = [];
  const before = secondsOfTree(server.processId);
  for (let request = 0; request < requests; request += 1) {
    const body = question();
    const started = performance.now();
    await send(server, 'POST', 'recommend', { model_id: 'bench', max_recommendations: 20, ...body });
    times.push(performance.now() - started);
  }
  const processor = ((secondsOfTree(server.processId) - before) * 1e6) / requests;
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), processor };
}

const servers = { recorded: await start(1_000), not: await start(0) };
try {
  const measured = new Map<string, Measured[]>();
  const names = Object.keys(ways) as Way[];
  for (let round = -1; round < rounds; round += 1) {
    // Each round begins with another way, because a server is faster after a pause.
    for (let at = 0; at < names.length; at += 1) {
      const way = names[(at + round + names.length) % names.length] as Way;
      const server = ways[way].isRecorded ? servers.recorded : servers.not;
      await setRules(server, ways[way].rules);
      for (const question of Object.keys(questions) as Question[]) {
        const result = await measure(server, () => ({ ...ways[way].more, ...questions[question]() }));
        // The first round warms up.
        if (round >= 0) measured.set(`${question}/${way}`, [...(measured.get(`${question}/${way}`) ?? []), result]);
      }
    }
  }
  const of = (question: Question, way: Way): Measured[] => measured.get(`${question}/${way}`) ?? [];
  const ratio = (question: Question, way: Way, base: Way, which: keyof Measured): string => {
    const ratios = of(question, way).map((each, round) => each[which] / (of(question, base)[round]?.[which] ?? Number.NaN));
    return formatRatio({ ratio: median(ratios), ...medianInterval(ratios) });
  };
  const middle = (question: Question, way: Way, which: keyof Measured): string => median(of(question, way).map((each) => each[which])).toFixed(2);
  const rows = (Object.keys(questions) as Question[]).flatMap((question) => comparisons.map(([way, base]): string[] => {
    const figures = [way, base].map((each) => `p50 ${middle(question, each, 'p50')}, p99 ${middle(question, each, 'p99')}`).join(' / ');
    return [`recommend for ${question}: ${way} / ${base}`, ratio(question, way, base, 'p50'), ratio(question, way, base, 'p99'), ratio(question, way, base, 'processor'), `${figures} ms`];
  }));
  await setRules(servers.recorded, []);
  const previews: number[] = [];
  let answers = 0;
  for (let repeat = 0; repeat < 5; repeat += 1) {
    const started = performance.now();
    answers = (await send(servers.recorded, 'POST', 'rules/tried/preview', { filter: 'item.price < 50', boost: 'item.maker == "maker 5" ? 1.5 : 1.0' }) as { answers: number }).answers;
    previews.push(performance.now() - started);
  }
  rows.push([`preview of a rule over ${answers} answers`, '', '', '', `median ${median(previews).toFixed(0)} ms, ${(median(previews) / answers).toFixed(2)} ms an answer`]);
  await reportTable({
    name: 'rules',
    title: 'Recorded answers and rules in force',
    command: `node --import tsx bench/serving/rules.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions; two servers, each with an embedded PostgreSQL`,
    columns: ['what', 'p50', 'p99', 'processor of server and PostgreSQL', 'time of a request, with HTTP'],
    rows,
    notes: [`Lists of 20, one request after the other over HTTP. Medians over ${rounds} rounds of ${requests} requests with 95 % intervals; the ways take turns, and each round begins with another. Where nothing else is said, answers are recorded.`],
  });
} finally {
  await Promise.all([servers.recorded.stop(), servers.not.stop()]);
}
