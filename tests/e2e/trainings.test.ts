import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectStatus } from '@vouch/platform/conformance/client';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { hasEnded, type Client, type Training } from '../../packages/recommender/conformance/client.ts';
import { everybodyWith, manyInteractions } from './harness/catalogue.ts';
import { startReceiver, type Receiver } from './harness/receiver.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Model {
  model_id: string;
  serving_version: number | null;
  metrics: unknown;
  training: Training & { metrics: unknown };
}

/**
 * For trainings of tests that are not about the choice of a setting: the choice takes most of the processor time of a training. Trainings that a test cancels use `large`,
 * which takes 12 s of processor time; trainings that run to their end use `medium`, which takes 4 s, or 3 s without the choice.
 */
const withoutChoice = { parameters: { setting: 'default' } };
let vouch: RunningVouch;
let receiver: Receiver;
let client: Client;

beforeAll(async () => {
  receiver = await startReceiver();
  // Two training slots, so that trainings wait because of the model and not because of a lack of slots.
  vouch = await startVouch({
    environment: { VOUCH_TRAINING_CONCURRENCY: '2', VOUCH_ALLOW_PRIVATE_ADDRESSES: receiver.address },
  });
  ({ client } = vouch);
  await client.upload([everybodyWith(['u1', 'u2'], ['small-1', 'small-2'])], ['small']);
  await client.upload([manyInteractions()], ['large']);
  await client.upload([manyInteractions(1_000, 300, 20)], ['medium']);
});

afterAll(async () => {
  await vouch.stop();
  await receiver.close();
});

/** Starts a training. Repeats the request while the server answers that it is busy. */
async function beginPatiently(body: Record<string, unknown>): Promise<void> {
  const reply = await vi.waitUntil(async () => {
    const answer = await client.tryTrain(body);
    return answer.status === 503 ? null : answer;
  }, { timeout: 240_000, interval: 500 });
  expectStatus(reply, 202);
}

/** Waits until a training has taken its snapshot and works on it. */
async function untilWorking(model_id: string): Promise<Training> {
  const isAtWork = ({ stage }: Training): boolean => stage !== null && stage !== 'snapshot';
  const record = await client.untilStatus(model_id, (each) => hasEnded(each) || isAtWork(each));
  expect(record.status).toBe('running');
  return record;
}

async function targetsOf(model_id: string): Promise<string[]> {
  return [...new Set((await client.relatedRows({ model_id })).map(({ target }) => target))].sort();
}

describe('a model that is trained again', () => {
  exhaustiveTest('answers with its old version, whole, until the new one is complete, and never with the old one after it', async () => {
    await client.train({ model_id: 'again', data_tags: 'small' });
    const old = (await client.related({ model_id: 'again' })).text;
    await client.begin({ model_id: 'again', data_tags: 'medium', ...withoutChoice });
    const seen: { version: string | null; text: string }[] = [];
    let record: Training;
    do {
      const whole = await client.related({ model_id: 'again' });
      expect(whole.status).toBe(200);
      seen.push({ version: whole.headers.get('x-model-version'), text: whole.text });
      record = (await client.status('again')).json<Training>();
      if (!hasEnded(record)) expect(record.serving_version).toBe(1);
      await sleep(20);
    } while (!hasEnded(record));
    expect([record.status, record.serving_version]).toEqual(['completed', 2]);
    await client.untilAnswering('again', 2);
    const fresh = await client.related({ model_id: 'again' });
    expect(fresh.headers.get('x-model-version')).toBe('2');
    expect(fresh.text).not.toBe(old);
    expect(seen.filter(({ version }) => version === '1').length).toBeGreaterThan(1);
    for (const { version, text } of seen) expect(text === (version === '1' ? old : fresh.text), `version ${version}`).toBe(true);
    const versions = seen.map(({ version }) => Number(version));
    expect(versions).toEqual([...versions].sort());
  });

  it('without success keeps answering with what it has', async () => {
    await client.train({ model_id: 'kept', data_tags: 'small' });
    const before = (await client.related({ model_id: 'kept' })).text;
    const failed = await client.trainToEnd({ model_id: 'kept', data_tags: 'nothing' });
    expect([failed.status, failed.serving_version]).toEqual(['error', 1]);
    const after = await client.related({ model_id: 'kept' });
    expect([after.headers.get('x-model-version'), after.text]).toEqual(['1', before]);
    expect((await client.trendingJson({ model_id: 'kept' })).model_version).toBe(1);
  });

  exhaustiveTest('is listed with its serving version and its latest training, and its trainings newest first, page by page', async () => {
    const models = (await client.get('/v1/recommender/models')).json<Model[]>();
    expect(models.map(({ model_id: id, serving_version: version, training }) => [id, version, training.status])).toEqual([
      ['kept', 1, 'error'], ['again', 2, 'completed'],
    ]);
    expect(models[1]?.training).toEqual((await client.status('again')).json());
    expect(models[1]?.metrics).toEqual(models[1]?.training.metrics);
    const first = await client.get('/v1/recommender/kept/trainings', { limit: '1' });
    const next = new URL(/<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    const second = await client.get(next.pathname, Object.fromEntries(next.searchParams));
    expect([first, second].map((page) => page.json<Training[]>().map(({ status }) => status))).toEqual([['error'], ['completed']]);
    expect(second.headers.get('link')).toBeNull();
    expect((await client.get('/v1/recommender/nobody/trainings')).json()).toMatchObject({ status: 404, code: 'unknown-model' });
  });
});

describe('two trainings of one model', () => {
  exhaustiveTest('run one after the other, and the later wins', async () => {
    await client.begin({ model_id: 'twice', data_tags: 'medium', ...withoutChoice });
    const later = await client.begin({ model_id: 'twice', data_tags: 'small' });
    expect(later.status).toBe('queued');
    await client.untilStatus('twice', ({ serving_version: version }) => version === 1);
    const last = await client.untilStatus('twice');
    expect([last.status, last.serving_version, last.parameters.data_tags]).toEqual(['completed', 2, ['small']]);
    await client.untilAnswering('twice', 2);
    expect(await targetsOf('twice')).toEqual(['small-1', 'small-2']);
  });

  it('are both stopped by one cancel, the waiting one without a start, and both callbacks are called', async () => {
    await client.begin({ model_id: 'half', data_tags: 'large', callback_url: `${receiver.url}/half-first` });
    await untilWorking('half');
    await client.begin({ model_id: 'half', data_tags: 'small', callback_url: `${receiver.url}/half-second` });
    const cancelled = (await client.cancel('half')).json<Training>();
    expect([cancelled.status, cancelled.started_at, cancelled.serving_version]).toEqual(['cancelled', null, null]);
    const paths = ['/half-first', '/half-second'];
    await vi.waitUntil(() => paths.every((wanted) => receiver.received.some(({ path }) => path === wanted)), { timeout: 120_000 });
    for (const wanted of paths) {
      const call = receiver.received.find(({ path }) => path === wanted);
      expect(JSON.parse(call?.body ?? '{}')).toMatchObject({ type: 'model.training.cancelled', data: { status: 'cancelled' } });
    }
    expect((await client.status('half')).json<Training>().serving_version).toBeNull();
  });
});

describe('cancelling', () => {
  it('reaches the training that runs behind any number of waiting ones', async () => {
    await client.begin({ model_id: 'line', data_tags: 'large', callback_url: `${receiver.url}/line` });
    await untilWorking('line');
    await Promise.all(Array.from({ length: 110 }, () => beginPatiently({ model_id: 'line', data_tags: 'small' })));
    // A busy server asks the client to retry; the training must not end by itself meanwhile.
    await vi.waitUntil(async () => (await client.cancel('line')).status === 200, { timeout: 120_000 });
    await vi.waitUntil(() => receiver.received.some(({ path }) => path === '/line'), { timeout: 120_000 });
    const call = receiver.received.find(({ path }) => path === '/line');
    expect(JSON.parse(call?.body ?? '{}')).toMatchObject({ type: 'model.training.cancelled', data: { serving_version: null } });
  });

  it('stops a running training, says so to its callback and leaves the old version', async () => {
    await client.train({ model_id: 'stopped', data_tags: 'small' });
    await client.begin({ model_id: 'stopped', data_tags: 'large', callback_url: `${receiver.url}/stopped` });
    await untilWorking('stopped');
    expect((await client.cancel('stopped')).status).toBe(200);
    const ended = await client.untilStatus('stopped');
    expect([ended.status, ended.serving_version]).toEqual(['cancelled', 1]);
    expect(ended.completed_at).not.toBeNull();
    expect(await targetsOf('stopped')).toEqual(['small-1', 'small-2']);
    await vi.waitUntil(() => receiver.received.some(({ path }) => path === '/stopped'), { timeout: 120_000 });
    const calls = receiver.received.filter(({ path }) => path === '/stopped');
    expect(calls.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['model.training.cancelled']);
  });

  it('a training that has ended changes nothing', async () => {
    await client.train({ model_id: 'done', data_tags: 'small' });
    const before = (await client.status('done')).text;
    const reply = await client.cancel('done');
    expect([reply.status, reply.text, (await client.status('done')).text]).toEqual([200, before, before]);
  });

  it('an unknown model finds nothing', async () => {
    const reply = await client.cancel('nobody');
    expect([reply.status, reply.json<{ code: string }>().code]).toEqual([404, 'unknown-model']);
  });
});

describe('a running training', () => {
  exhaustiveTest('completes on its data although they are deleted meanwhile', async () => {
    const [batch] = await client.upload([manyInteractions(1_000, 300, 20)], ['doomed']);
    await client.begin({ model_id: 'doomed', data_tags: 'doomed', ...withoutChoice });
    await untilWorking('doomed');
    expect((await client.deleteBatches({ tags: 'doomed' })).json<unknown[]>()).toEqual([batch]);
    const ended = await client.untilStatus('doomed');
    expect([ended.status, ended.error, ended.data?.interactions.rows]).toEqual(['completed', null, batch?.interaction_count]);
    expect((await targetsOf('doomed')).length).toBeGreaterThan(100);
    expect((await client.trainToEnd({ model_id: 'doomed', data_tags: 'doomed' })).error?.code).toBe('no-usable-data');
  });

  exhaustiveTest('shows progress that only grows, and its stages in order', async () => {
    const stages = ['snapshot', 'arrays', 'factors', 'neighbours', 'evaluate', 'write'];
    await client.begin({ model_id: 'watched', data_tags: 'medium' });
    const records: Training[] = [];
    await client.untilStatus('watched', (record) => records.push(record) > 0 && hasEnded(record));
    const progress = records.map((record) => record.progress);
    expect(progress).toEqual([...progress].sort((left, right) => left - right));
    expect(progress.at(-1)).toBe(1);
    const places = records.flatMap(({ stage }) => (stage === null ? [] : [stages.indexOf(stage)]));
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places).not.toContain(-1);
    expect(records.at(-1)?.metrics?.verdict).toMatch(/better than popularity/);
    expect(records.at(-1)?.metrics?.verdict_reason).toMatch(/recall@20 minus that of popularity is .*, measured on \d+ users/);
  });
});

describe('a setting left open', () => {
  exhaustiveTest('is chosen on held-out interactions, stands in the record, and trains the same model where the next request fixes it', async () => {
    await client.upload([manyInteractions(400, 150, 12)], ['open']);
    const open = await client.trainToEnd({ model_id: 'open', data_tags: 'open', parameters: { setting: 'auto' } });
    expect([open.status, open.parameters.setting]).toEqual(['completed', 'auto']);
    const { choice } = open;
    expect(choice?.candidates.length).toBeGreaterThan(10);
    expect(choice?.candidates.map(({ setting }) => setting)).toContainEqual(choice?.chosen);
    const fixed = await client.trainToEnd({ model_id: 'fixed', data_tags: 'open', parameters: { setting: choice?.chosen } });
    expect([fixed.status, fixed.choice]).toEqual(['completed', null]);
    expect(fixed.parameters.setting).toEqual(choice?.chosen);
    expect(choice?.chosen).toHaveProperty('user_exponent');
    expect((await client.related({ model_id: 'fixed' })).text).toBe((await client.related({ model_id: 'open' })).text);
  });

  exhaustiveTest('for sparse data, fixed with all pairs, gives longer lists than the default', async () => {
    await client.upload([manyInteractions(60, 400, 3)], ['sparse']);
    const setting = { user_exponent: -0.5, source_exponent: -0.5, item_exponent: -0.05, damping: -1, low_pass: 2, all_pairs: true };
    const fixed = await client.trainToEnd({ model_id: 'sparse', data_tags: 'sparse', parameters: { setting } });
    expect([fixed.status, fixed.parameters.setting]).toEqual(['completed', setting]);
    await client.trainToEnd({ model_id: 'shared', data_tags: 'sparse', parameters: { setting: 'default' } });
    const rowsOf = async (id: string): Promise<number> => (await client.related({ model_id: id, entity_id: 'u1', max_recommendations: 1000 })).text.split('\n').length;
    expect(await rowsOf('sparse')).toBeGreaterThan(await rowsOf('shared'));
  });
});

exhaustiveTest('a record that says completed has the version, the data and the times of its training, whenever it is asked for', async () => {
  for (let version = 1; version <= 4; version += 1) {
    await client.begin({ model_id: 'torn', data_tags: 'small' });
    const watch = async (): Promise<Training> => {
      for (;;) {
        const record = (await client.status('torn')).json<Training>();
        if (hasEnded(record)) return record;
      }
    };
    for (const record of await Promise.all([watch(), watch(), watch(), watch()])) {
      expect(record).toMatchObject({ status: 'completed', progress: 1, serving_version: version, data: { batches: 1 } });
    }
  }
});

describe('an Idempotency-Key', () => {
  it('makes one training of a repeated request, and refuses another request', async () => {
    const body = { model_id: 'once', data_tags: 'small' };
    const headers = { 'idempotency-key': 'train-once' };
    const [first, second] = await Promise.all([client.tryTrain(body, headers), client.tryTrain(body, headers)]);
    const third = await client.tryTrain(body, headers);
    for (const reply of [first, second, third]) expect([reply.status, reply.text]).toEqual([202, first.text]);
    expect(third.headers.get('idempotency-replayed')).toBe('true');
    const ended = await client.untilStatus('once');
    expect([ended.created_at, ended.serving_version]).toEqual([first.json<Training>().created_at, 1]);
    const other = await client.tryTrain({ ...body, model_id: 'other' }, headers);
    expect([other.status, other.json<{ code: string }>().code]).toEqual([409, 'idempotency-conflict']);
    expect((await client.status('other')).status).toBe(404);
  });

  it('belongs to its organization', async () => {
    const stranger = client.withKey((await vouch.createKey()).key);
    const headers = { 'idempotency-key': 'train-once' };
    expect((await stranger.tryTrain({ model_id: 'theirs' }, headers)).status).toBe(202);
  });

  it('makes one batch of a repeated upload', async () => {
    const file = everybodyWith(['u'], ['uploaded-once']);
    const headers = { 'idempotency-key': 'upload-once' };
    const first = await client.tryUpload([file], ['upload-once'], headers);
    const second = await client.tryUpload([file], ['upload-once'], headers);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect((await client.batches({ tags: 'upload-once' })).json<unknown[]>().length).toBe(1);
    expect((await client.tryUpload([file], ['another-tag'], headers)).status).toBe(409);
    expect((await client.batches({ tags: 'another-tag' })).json<unknown[]>()).toEqual([]);
  });
});
