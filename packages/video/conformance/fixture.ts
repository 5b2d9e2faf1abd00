import { type Reply, expectStatus } from '@vouch/platform/conformance/client';
import { keep, need, uniqueName, type ConformanceContext, type ConformanceRow } from '@vouch/platform/conformance/context';
import { Client, type RunRecord } from './client.ts';

/** Data shared by the rows. Each item is created at its first use, once per test run. */
export interface Fixture {
  context: ConformanceContext;
  client: Client;
  /**
   * URL of a video.
   * @throws RowSkipped if no video is available that the service may fetch
   */
  mediaUrl(): string;
  /** URL of an answer that is not media. */
  wrongUrl(): string;
  name(word: string): string;
  /** Returns a completed run. */
  completed(): Promise<CompletedRun>;
  /** Returns a run whose media could not be fetched. */
  failed(): Promise<RunRecord>;
}

interface CompletedRun {
  /** Answer to the request that started the run. */
  started: Reply;
  record: RunRecord;
}

/** Paths of the callback receiver for the two runs. */
export const completedHook = '/run-completed';
export const failedHook = '/run-failed';

/** An id without a run. */
export const nobody = '00000000-0000-4000-8000-000000000000';

/** Options that keep the runs of the rows short. */
export const smallOptions = { duration: 2, width: 96, height: 54, outputs: ['mp4', 'poster'], analysis: 'accurate' } as const;

/** Makes one row whose check uses the shared fixture. */
export function row(statement: string, shows: string, check: (fixture: Fixture) => Promise<void>): ConformanceRow {
  return { statement, shows, check: (context) => check(fixtureOf(context)) };
}

function fixtureOf(context: ConformanceContext): Fixture {
  const client = new Client(context.baseUrl, context.apiKey, context.fetch);
  const mediaUrl = (): string => need(context.mediaUrl, 'a video that the server may fetch (--media-url)');
  const wrongUrl = (): string => new URL('/no-such-media', mediaUrl()).href;
  const hookAt = (path: string): { on_completed_hook?: string } =>
    context.inHouse === null ? {} : { on_completed_hook: context.inHouse.receiver.url + path };
  return {
    context, client, mediaUrl, wrongUrl,
    name: (word) => uniqueName(context, word),
    completed: () => keep(context, 'video completed run', async () => {
      const started = expectStatus(await client.create({ media_url: mediaUrl(), ...hookAt(completedHook), options: smallOptions }), 202);
      const record = await client.untilStatus(started.json<RunRecord>().run_id);
      if (record.status !== 'completed') throw new Error(`the video cannot be summarized: ${JSON.stringify(record.error)}`);
      return { started, record };
    }),
    failed: () => keep(context, 'video failed run', () => client.runToEnd({ media_url: wrongUrl(), ...hookAt(failedHook) })),
  };
}

/** Creates the data that the rows share. */
export async function prepareVideo(context: ConformanceContext): Promise<void> {
  const { completed, failed } = fixtureOf(context);
  await completed();
  await failed();
}
