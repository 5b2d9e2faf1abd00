import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchOptions } from '@vouch/platform/outbound/fetchWhole';
import type { DemoContext, DemoStep } from '@vouch/platform/product/product';
import { NoMediaBackend } from '../engine/backend/openMediaBackend.ts';
import { listReasons } from '../engine/report/describeReason.ts';
import { formatTime } from '../engine/selection/formatTime.ts';
import type { SegmentReason } from '../engine/selection/selection.ts';
import type { RunRecord } from '../runs/run.schema.ts';
import { clipName, describeClip } from '../sample/generateClip.ts';
import { writeSampleClip } from '../sample/writeSampleClip.ts';

const previewSeconds = 20;
const pollMs = 200;

/** The demo of video summarization: serves a generated clip, summarizes the clip through the HTTP interface and prints the segments. */
export const summarizeClip: DemoStep = {
  name: 'summarize',
  async run(context) {
    const folder = join(context.folder, 'video');
    await mkdir(folder, { recursive: true });
    const clip = await ensureClip(context, folder);
    if (clip === null) return;
    const run = await summarize(context, context.share(clip));
    printSegments(context, run);
    await keepOutputs(context, run, folder);
  },
};

/** Path of the clip, generated unless an earlier demo has done so; null if no encoder is installed. */
async function ensureClip(context: DemoContext, folder: string): Promise<string | null> {
  const path = join(folder, clipName);
  if ((await stat(path).catch(() => null)) !== null) return path;
  try {
    const { duration, scenes } = await writeSampleClip(path, context.system.timers);
    context.print(`Generated a clip of ${duration} s with ${scenes.length} scenes: ${path}`);
    return path;
  } catch (error) {
    if (!(error instanceof NoMediaBackend)) throw error;
    context.print(`The demo skips the video part: ${error.message}`);
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
      throw new Error(`the summarization of the clip ended with status ${run.status}: ${run.error?.detail ?? 'no reason given'}`);
    }
    await context.system.timers.sleep(pollMs);
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
    `Preview: ${run.segments.reduce((sum, { start, end }) => sum + end - start, 0).toFixed(1)} s of the ${duration} s`,
    ['#', 'in the clip', 'scene', 'planted event', 'score', 'why'],
    run.segments.map(({ start, end, score, reasons }, index) => [
      index + 1,
      `${formatTime(start)}–${formatTime(end)}`,
      scenes.find((scene) => scene.end > (start + end) / 2)?.name ?? '',
      events.filter(({ at }) => at >= start && at < end).map(({ what }) => what).join(', '),
      score.toFixed(2),
      // The schema of the record allows further fields of a reason, so its type is wider.
      listReasons(reasons as unknown as SegmentReason[]),
    ]),
  );
  const missed = events.filter(({ at }) => !run.segments.some(({ start, end }) => at >= start && at < end));
  const without = missed.length === 0 ? '' : `; it does not show: ${missed.map(({ what }) => what).join(', ')}`;
  context.print(`The preview shows ${events.length - missed.length} of the ${events.length} planted events${without}.`);
}

/** Copies the report and the previews into the folder of the demo: the links in the record stop working when the server stops. */
async function keepOutputs(context: DemoContext, run: RunRecord, folder: string): Promise<void> {
  const preview = await keepOutput(context, run, 'mp4', join(folder, 'preview.mp4'));
  const storyboard = await keepOutput(context, run, 'storyboard-sprite', join(folder, 'storyboard.jpg'));
  context.print(`Preview: ${preview}`);
  context.print(`Storyboard: ${storyboard}`);
  context.suggest('Get the record of the video run', `curl -H "apikey: ${context.apiKeyInShell}" "${context.baseUrl}/v1/status/${run.run_id}"`);
}

async function keepOutput(context: DemoContext, run: RunRecord, kind: string, path: string): Promise<string> {
  const answer = await context.fetch(run.outputs.find((output) => output.kind === kind)?.url ?? '');
  if (!answer.ok) throw new Error(`the download of the ${kind} file was answered with ${answer.status}`);
  await writeFile(path, new Uint8Array(await answer.arrayBuffer()));
  return path;
}
