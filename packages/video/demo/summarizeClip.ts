import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchOptions } from '@vouch/platform/outbound/fetchWhole';
import type { DemoContext, DemoStep } from '@vouch/platform/product/product';
import { NoMediaBackend, openMediaBackend } from '../engine/media/openMediaBackend.ts';
import { formatTime, listReasons } from '../engine/report/describeReason.ts';
import type { SegmentReason } from '../engine/selection/selection.ts';
import type { RunRecord } from '../runs/run.schema.ts';
import { clipName, describeClip, generateClip } from '../sample/generateClip.ts';

const previewSeconds = 20;
const pollMs = 200;
/** What encoding the clip may take; it needs a fraction of it. */
const limits = { memoryBytes: 2 * 2 ** 30, wallMs: 120_000, cpuSeconds: 120, diskBytes: 100_000_000, pixels: 1_000_000, threads: 2, niceness: 0 };

/** The demo of video summarization: a generated clip is served, summarized through the interface, and what came of it is shown. */
export const summarizeClip: DemoStep = {
  name: 'summarize',
  async run(context) {
    const folder = join(context.folder, 'video');
    await mkdir(folder, { recursive: true });
    const clip = await ensureClip(context, folder);
    if (clip === null) return;
    const run = await summarize(context, context.share(clip));
    printSegments(context, run);
    await printOutputs(context, run, folder);
  },
};

/** The clip of an earlier demo, or a new one; null where there is nothing to encode it with. */
async function ensureClip(context: DemoContext, folder: string): Promise<string | null> {
  const path = join(folder, clipName);
  if ((await stat(path).catch(() => null)) !== null) return path;
  try {
    const backend = await openMediaBackend(process.env['FFMPEG_PATH'], { limits, timers: context.doors.timers });
    const partial = join(folder, `partial-${clipName}`);
    const { duration, scenes } = await generateClip(backend, partial, new AbortController().signal);
    await rename(partial, path);
    context.print(`Generated a clip of ${duration} s with ${scenes.length} scenes: ${path}`);
    return path;
  } catch (error) {
    if (!(error instanceof NoMediaBackend)) throw error;
    context.print(`The video step is left out. ${error.message}`);
    return null;
  }
}

async function summarize(context: DemoContext, mediaUrl: string): Promise<RunRecord> {
  const created = await call(context, '/v1video-summarization/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ media_url: mediaUrl, options: { duration: previewSeconds } }),
  });
  let shown = '';
  for (;;) {
    const run = await call(context, `/v1/status/${created.run_id}`);
    const stage = run.stage ?? run.status;
    if (stage !== shown) context.print(`Summarization: ${stage} (${Math.round(run.progress * 100)} %)`);
    shown = stage;
    if (run.status === 'completed') return run;
    if (run.status === 'error' || run.status === 'cancelled') {
      throw new Error(`the summarization of the clip ended with ${run.status}: ${run.error?.detail ?? 'no reason given'}`);
    }
    await context.doors.timers.sleep(pollMs);
  }
}

async function call(context: DemoContext, path: string, options: FetchOptions = {}): Promise<RunRecord> {
  const answer = await context.fetch(`${context.baseUrl}${path}`, { ...options, headers: { apikey: context.apiKey, ...options.headers } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${options.method ?? 'GET'} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as RunRecord;
}

function printSegments(context: DemoContext, run: RunRecord): void {
  const { scenes, events, duration } = describeClip();
  context.table(
    `A preview of ${run.segments.reduce((sum, { start, end }) => sum + end - start, 0).toFixed(1)} s of ${duration} s`,
    ['#', 'in the clip', 'scene', 'planted there', 'score', 'why'],
    run.segments.map(({ start, end, score, reasons }, index) => [
      index + 1,
      `${formatTime(start)}–${formatTime(end)}`,
      scenes.find((scene) => scene.end > (start + end) / 2)?.name ?? '',
      events.filter(({ at }) => at >= start && at < end).map(({ what }) => what).join(', '),
      score.toFixed(2),
      // The schema of the record leaves the further fields of a reason open.
      listReasons(reasons as unknown as SegmentReason[]),
    ]),
  );
  const missed = events.filter(({ at }) => !run.segments.some(({ start, end }) => at >= start && at < end));
  context.print(`Shown are ${events.length - missed.length} of ${events.length} planted events${missed.length === 0 ? '' : `; not ${missed.map(({ what }) => what).join(', ')}`}.`);
}

async function printOutputs(context: DemoContext, run: RunRecord, folder: string): Promise<void> {
  const urlOf = (kind: string): string => run.outputs.find((output) => output.kind === kind)?.url ?? '';
  const sprite = join(folder, 'storyboard.jpg');
  const answer = await context.fetch(urlOf('storyboard-sprite'));
  if (!answer.ok) throw new Error(`the storyboard answered ${answer.status}`);
  await writeFile(sprite, new Uint8Array(await answer.arrayBuffer()));
  context.print(`Watch the preview: ${urlOf('mp4')}`);
  context.print(`The storyboard: ${sprite}`);
  context.print(`The whole record:\n  curl -H "apikey: ${context.apiKeyInShell}" "${context.baseUrl}/v1/status/${run.run_id}"`);
}
