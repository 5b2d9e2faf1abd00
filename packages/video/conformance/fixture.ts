import { type Reply, expectStatus } from '@vouch/platform/conformance/client';
import type { ConformanceContext, ConformanceRow } from '@vouch/platform/product/product';
import { makeFixture } from '../engine/media/fixtures/makeFixture.ts';
import { Client, type RunRecord } from './client.ts';

/** What the rows share: a clip that is served, a run that completed and one that did not. */
export interface Fixture {
  context: ConformanceContext;
  client: Client;
  mediaUrl: string;
  /** An address that answers, but with no media. */
  wrongUrl: string;
  /** What the request that started the run answered. */
  started: Reply;
  completed: RunRecord;
  failed: RunRecord;
}

const mediaPath = '/clip.mp4';
/** Paths of the receiver for the ends of the two runs, and of the one that a row cancels. */
export const completedHook = '/run-completed';
export const failedHook = '/run-failed';
export const cancelledHook = '/run-cancelled';

/** Options that keep the runs of the rows short. */
export const smallOptions = { duration: 2, width: 96, height: 54, outputs: ['mp4', 'poster'], analysis: 'accurate' } as const;

const fixtures = new WeakMap<ConformanceContext, Promise<Fixture>>();

/** One row whose check works with the shared fixture. */
export function row(section: string, statement: string, check: (fixture: Fixture) => Promise<void>): ConformanceRow {
  return { section, statement, check: async (context) => check(await fixtureOf(context)) };
}

function fixtureOf(context: ConformanceContext): Promise<Fixture> {
  const made = fixtures.get(context) ?? makeRuns(context);
  fixtures.set(context, made);
  return made;
}

async function makeRuns(context: ConformanceContext): Promise<Fixture> {
  const client = new Client(context.baseUrl, context.apiKey);
  const { receiver } = context;
  receiver.serve(mediaPath, await makeFixture({ seconds: 4, cuts: [2] }));
  const mediaUrl = receiver.url + mediaPath;
  const wrongUrl = `${receiver.url}/no-media`;
  const failing = await client.begin({ media_url: wrongUrl, on_completed_hook: receiver.url + failedHook });
  const started = expectStatus(
    await client.create({ media_url: mediaUrl, on_completed_hook: receiver.url + completedHook, options: smallOptions }), 202);
  const completed = await client.untilStatus(started.json<RunRecord>().run_id);
  if (completed.status !== 'completed') throw new Error(`the clip cannot be summarized: ${JSON.stringify(completed.error)}`);
  const failed = await client.untilStatus(failing.run_id);
  return { context, client, mediaUrl, wrongUrl, started, completed, failed };
}
