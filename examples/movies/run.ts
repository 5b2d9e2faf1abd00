import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { convertFolder } from './convert.ts';

const modelId = 'movies';
const tag = 'movielens';

/** Films that most people have an opinion on. */
const examples = [
  'Toy Story', 'Star Wars: Episode IV - A New Hope', 'Matrix, The', 'Lion King, The', 'Godfather, The',
  'Alien', 'Pretty Woman', 'Shining, The', 'Monty Python and the Holy Grail', 'Lord of the Rings: The Fellowship of the Ring, The',
];

interface Reason {
  text: string;
  share: number;
}

interface RelatedItems {
  recommendations: { target_id: string; rank: number; score: number; name: string | null; reasons: Reason[] }[];
}

interface TrainingStatus {
  status: 'queued' | 'running' | 'completed' | 'error' | 'cancelled';
  stage: string | null;
  progress: number;
  error: { detail?: string; title?: string } | null;
  metrics: unknown;
}

/** Calls one route with the key. @throws Error with the server's own explanation where the answer is not 2xx */
type Call = (path: string, init?: RequestInit) => Promise<unknown>;

function connect(url: string, key: string): Call {
  return async (path, init = {}) => {
    let answer: Response;
    try {
      answer = await fetch(new URL(path, url), { ...init, headers: { ...init.headers, apikey: key } });
    } catch (error) {
      throw new Error(`Nothing answers at ${url}. Start the server with: npx vouch serve`, { cause: error });
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${explain(text)}`);
    return JSON.parse(text) as unknown;
  };
}

/** The sentence of a problem answer, or the answer itself where it is none. */
function explain(text: string): string {
  try {
    const problem = JSON.parse(text) as { detail?: string; title?: string };
    return problem.detail ?? problem.title ?? text;
  } catch {
    return text.slice(0, 500);
  }
}

async function upload(call: Call, entitiesCsv: string, interactionsCsv: string): Promise<void> {
  const form = new FormData();
  form.append('tags', tag);
  form.append('files', new Blob([entitiesCsv], { type: 'text/csv' }), 'entities.csv');
  form.append('files', new Blob([interactionsCsv], { type: 'text/csv' }), 'interactions.csv');
  const batches = (await call('/v1/recommender/data_batch', { method: 'POST', body: form })) as {
    batch_id: string; entity_count: number; interaction_count: number;
  }[];
  for (const batch of batches) {
    console.log(`Stored batch ${batch.batch_id}: ${batch.entity_count} entities, ${batch.interaction_count} interactions.`);
  }
}

async function train(call: Call): Promise<void> {
  const body = JSON.stringify({ model_id: modelId, data_tags: [tag] });
  await call('/v1/recommender/train', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  // 100,000 ratings train in seconds; ten minutes mean that no worker is running.
  for (let second = 0; second < 600; second++) {
    const training = (await call(`/v1/recommender/${modelId}/status`)) as TrainingStatus;
    if (training.status === 'completed') {
      console.log(`Trained. Metrics on held-out ratings: ${JSON.stringify(training.metrics)}`);
      return;
    }
    if (training.status === 'error' || training.status === 'cancelled') {
      throw new Error(`The training ended with ${training.status}: ${training.error?.detail ?? 'no reason was given'}`);
    }
    process.stderr.write(`${training.status} ${training.stage ?? ''} ${Math.round(100 * training.progress)} %\n`);
    await sleep(1000);
  }
  throw new Error('The training did not end within ten minutes. Does a worker run? See: npx vouch doctor');
}

async function related(call: Call, id: string, count: number): Promise<RelatedItems['recommendations']> {
  const query = new URLSearchParams({
    model_id: modelId, entity_id: id, max_recommendations: String(count), output_format: 'json',
  });
  return ((await call(`/v1/recommender/related_items?${query}`)) as RelatedItems).recommendations;
}

async function printExample(call: Call, name: string, names: ReadonlyMap<string, string>): Promise<void> {
  const id = [...names].find(([, candidate]) => candidate === name)?.[0];
  if (id === undefined) throw new Error(`The data has no film named "${name}".`);
  console.log(`\n${name}`);
  console.log('| # | score | film | reasons |\n|---|---|---|---|');
  for (const item of await related(call, id, 5)) {
    const reasons = item.reasons.map(({ text, share }) => `${text} (${Math.round(100 * share)} %)`).join(' ');
    console.log(`| ${item.rank} | ${item.score.toFixed(3)} | ${names.get(item.target_id) ?? item.target_id} | ${reasons} |`);
  }
}

/** The known answer: whoever asks about Toy Story wants these two among the first ten. */
async function checkToyStory(call: Call, names: ReadonlyMap<string, string>): Promise<boolean> {
  const found = (await related(call, 'm1', 10)).map((item) => names.get(item.target_id) ?? item.target_id);
  const missing = ['Toy Story 2', "Bug's Life, A"].filter((name) => !found.includes(name));
  console.log(missing.length === 0
    ? "\nToy Story's first ten name Toy Story 2 and A Bug's Life."
    : `\nToy Story's first ten lack ${missing.join(' and ')}. They are: ${found.join('; ')}.`);
  return missing.length === 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      key: { type: 'string', default: process.env['KEY'] ?? '' },
      data: { type: 'string', default: '' },
    },
  });
  if (values.key === '' || values.data === '') {
    throw new Error('Usage: npx tsx examples/movies/run.ts --url <server> --key <API key> --data <folder of ml-latest-small>');
  }
  const call = connect(values.url, values.key);
  const { entitiesCsv, interactionsCsv, names } = await convertFolder(values.data);
  await upload(call, entitiesCsv, interactionsCsv);
  await train(call);
  for (const name of examples) await printExample(call, name, names);
  if (!(await checkToyStory(call, names))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
