import type { FetchOptions } from '@vouch/platform/outbound/fetchWhole';
import type { DemoContext, DemoStep } from '@vouch/platform/product/product';
import { generateSample, type Sample } from '../sample/generateSample.ts';
import type { TrainingRecord } from '../models/training.schema.ts';
import type { RecommendationsAnswer } from '../recommendations/recommendation.schema.ts';

const modelId = 'sample';
const tag = 'sample';
const seed = 7;
const pollMs = 250;
/** The strongest ones; the JSON answer has all. */
const shownReasons = 2;

/** The demo of the recommender: upload the generated film library, train, and show what was learned. */
export const recommendFilms: DemoStep = {
  name: 'recommend',
  async run(context) {
    const sample = generateSample({ seed, nowMs: context.doors.clock.now() });
    const training = (await completedTraining(context)) ?? (await loadAndTrain(context, sample));
    await printRelated(context, sample);
    await printTrending(context, sample);
    printMetrics(context, training);
    printCurl(context, sample);
  },
};

async function call<Answer>(context: DemoContext, path: string, options: FetchOptions = {}): Promise<Answer> {
  const answer = await context.fetch(`${context.baseUrl}${path}`, {
    ...options,
    headers: { apikey: context.apiKey, ...options.headers },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${options.method ?? 'GET'} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

async function completedTraining(context: DemoContext): Promise<TrainingRecord | null> {
  const answer = await context.fetch(`${context.baseUrl}/v1/recommender/${modelId}/status`, {
    headers: { apikey: context.apiKey },
  });
  if (answer.status === 404) return null;
  const record = (await answer.json()) as TrainingRecord;
  if (record.status === 'queued' || record.status === 'running') return waitForTraining(context);
  if (record.status !== 'completed') return null;
  context.print('The sample model is there from an earlier run.');
  return record;
}

async function loadAndTrain(context: DemoContext, sample: Sample): Promise<TrainingRecord> {
  const uploaded = await call<{ batch_id: string }[]>(context, `/v1/recommender/data_batch?tags=${tag}`);
  if (uploaded.length === 0) {
    const form = new FormData();
    form.append('tags', tag);
    form.append('files', new Blob([sample.entitiesCsv], { type: 'text/csv' }), 'entities.csv');
    form.append('files', new Blob([sample.interactionsCsv], { type: 'text/csv' }), 'interactions.csv');
    const batches = await call<{ entity_count: number; interaction_count: number }[]>(
      context,
      '/v1/recommender/data_batch',
      { method: 'POST', body: form },
    );
    const entities = batches.reduce((sum, batch) => sum + batch.entity_count, 0);
    const interactions = batches.reduce((sum, batch) => sum + batch.interaction_count, 0);
    context.print(`Uploaded a generated film library: ${entities} entities, ${interactions} interactions.`);
  }
  await call(context, '/v1/recommender/train', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model_id: modelId, data_tags: [tag] }),
  });
  return waitForTraining(context);
}

async function waitForTraining(context: DemoContext): Promise<TrainingRecord> {
  let shown = '';
  for (;;) {
    const record = await call<TrainingRecord>(context, `/v1/recommender/${modelId}/status`);
    const stage = record.stage ?? record.status;
    if (stage !== shown) context.print(`Training: ${stage} (${Math.round(record.progress * 100)} %)`);
    shown = stage;
    if (record.status === 'completed') return record;
    if (record.status === 'error' || record.status === 'cancelled') {
      throw new Error(`the training of the sample ended with ${record.status}: ${record.error?.detail ?? 'no reason given'}`);
    }
    await context.doors.timers.sleep(pollMs);
  }
}

/** A film with a sequel, the most popular kind of question, and a film that nobody touched. */
function examples(sample: Sample): { id: string; note: string }[] {
  const [sequel, original] = [...sample.truth.sequelOf][0] ?? [];
  const cold = sample.truth.coldFilms[0];
  return [
    ...(original === undefined ? [] : [{ id: original, note: `its sequel is ${sample.truth.nameOfFilm.get(sequel!)}` }]),
    ...(cold === undefined ? [] : [{ id: cold, note: 'nobody has touched it yet: found by what it is' }]),
  ];
}

async function printRelated(context: DemoContext, sample: Sample): Promise<void> {
  for (const { id, note } of examples(sample)) {
    const answer = await call<RecommendationsAnswer>(
      context,
      `/v1/recommender/related_items?model_id=${modelId}&entity_id=${id}&max_recommendations=5&output_format=json`,
    );
    context.table(
      `Related to ${sample.truth.nameOfFilm.get(id)} (${id}; ${note})`,
      ['#', 'item', 'score', 'why'],
      answer.recommendations.map((item) => [
        item.rank,
        `${item.name} (${item.target_id})`,
        item.score.toFixed(3),
        item.reasons.slice(0, shownReasons).map((reason) => describeReason(reason, sample)).join('; '),
      ]),
    );
  }
}

async function printTrending(context: DemoContext, sample: Sample): Promise<void> {
  const answer = await call<RecommendationsAnswer>(
    context,
    `/v1/recommender/trending_items?model_id=${modelId}&max_recommendations=5&output_format=json`,
  );
  const rising = new Set(sample.truth.risingFilms);
  context.table(
    'Trending now',
    ['#', 'item', 'score', 'planted as rising'],
    answer.recommendations.map((item) => [
      item.rank,
      `${item.name} (${item.target_id})`,
      item.score.toFixed(3),
      rising.has(item.target_id) ? 'yes' : 'no',
    ]),
  );
}

function printMetrics(context: DemoContext, training: TrainingRecord): void {
  const metrics = training.metrics;
  if (metrics === null) return;
  const row = (name: string, of: { 'recall@20': { value: number }; 'ndcg@20': { value: number } }): string[] => [
    name,
    of['recall@20'].value.toFixed(3),
    of['ndcg@20'].value.toFixed(3),
  ];
  context.table(
    `Offline evaluation on held-out interactions of ${metrics.users} users: ${metrics.verdict}`,
    ['method', 'recall@20', 'ndcg@20'],
    [row('this model', metrics), row('item-kNN', metrics['item-knn']), row('popularity', metrics.popularity)],
  );
}

function printCurl(context: DemoContext, sample: Sample): void {
  const id = examples(sample)[0]?.id ?? '';
  context.print('Ask it yourself:');
  context.print(
    `  curl -H "apikey: ${context.apiKeyInShell}" "${context.baseUrl}/v1/recommender/related_items?model_id=${modelId}&entity_id=${id}&max_recommendations=5"`,
  );
}

/** One reason as a phrase for people. */
function describeReason(reason: RecommendationsAnswer['recommendations'][number]['reasons'][number], sample: Sample): string {
  const share = `${Math.round(reason.share * 100)} %`;
  switch (reason.kind) {
    case 'attribute':
      return `${reason.field}: ${reason.value} (${share})`;
    case 'co_interaction':
      return reason.through === undefined
        ? `${reason.count} saw both (${share})`
        : `${reason.count} saw it and ${sample.truth.nameOfFilm.get(reason.through) ?? reason.through}, which is like it (${share})`;
    case 'history':
      return `seen ${(reason.ids ?? []).map((id) => sample.truth.nameOfFilm.get(id) ?? id).join(', ')} (${share})`;
    case 'trending':
      return `trending (${share})`;
  }
}
