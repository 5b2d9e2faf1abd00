import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEnded, type ListRow, type Training } from '../../packages/recommender/conformance/client.ts';
import { entitiesCsv, interactionsCsv } from '../../packages/recommender/conformance/sampleData.ts';
import { sparkOfTests } from '../../packages/recommender/models/spark/sparkOfTests.ts';
import { manyInteractions } from './harness/catalogue.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

/** Two workers with processes of their own; ms. */
const command = sparkOfTests('local-cluster[2,1,1024]');
const patience = 900_000;
const model_id = 'm';
let local: RunningVouch;
let spread: RunningVouch;

async function upload({ client }: RunningVouch): Promise<void> {
  await client.upload([entitiesCsv({}), interactionsCsv()], ['first']);
  await client.upload([manyInteractions(400, 300, 20), interactionsCsv()], ['second']);
}

beforeAll(async () => {
  if (command === null) return;
  local = await startVouch();
  spread = await startVouch({ environment: { VOUCH_SPARK_SUBMIT: command } });
  await Promise.all([upload(local), upload(spread)]);
});

afterAll(async () => {
  await local?.stop();
  await spread?.stop();
});

/** Scores by source and target. */
function byPair(rows: readonly ListRow[]): Map<string, number> {
  return new Map(rows.map(({ source, target, score }) => [`${source} ${target}`, Number(score)]));
}

describe.skipIf(command === null)('a training with Spark', () => {
  it('gives the lists that it gives on one machine, and shows what Spark does', async () => {
    await local.client.train({ model_id });
    await spread.client.begin({ model_id });
    const stages = new Set<string | null>();
    const ended = await spread.client.untilStatus(model_id, (record: Training) => stages.add(record.stage).size > 0 && hasEnded(record));
    expect([ended.status, ended.error]).toEqual(['completed', null]);
    expect([...stages]).toEqual(expect.arrayContaining(['spark-snapshot', 'spark-candidates']));
    const before = (await local.client.status(model_id)).json<Training>();
    expect(ended.data).toEqual(before.data);
    await spread.client.untilAnswering(model_id, 1);
    const ours = byPair(await local.client.relatedRows({ model_id }));
    const theirs = byPair(await spread.client.relatedRows({ model_id }));
    expect(ours.size).toBeGreaterThan(10_000);
    const differing = [...ours].filter(([pair, score]) => Math.abs((theirs.get(pair) ?? -1) - score) > 0.001);
    expect(differing.length / ours.size).toBeLessThan(0.01);
    expect(Math.abs(theirs.size - ours.size) / ours.size).toBeLessThan(0.01);
  }, patience);

  it('can be cancelled while Spark works, and leaves no process behind', async () => {
    await spread.client.begin({ model_id: 'stopped' });
    await spread.client.untilStatus('stopped', ({ stage }) => stage === 'spark-snapshot');
    expect((await spread.client.cancel('stopped')).status).toBe(200);
    const ended = await spread.client.untilStatus('stopped');
    expect(ended.status).toBe('cancelled');
  }, patience);

  it('is found by doctor', async () => {
    expect(await spread.run('doctor')).toMatch(/spark-submit starts/);
  }, patience);
});
