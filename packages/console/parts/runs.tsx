import type { RunRecord } from '@vouch/video/runs/run.schema';
import { href } from '../api/place.ts';
import { describeQueue } from './describeQueue.ts';
import { Bar, State } from './parts.tsx';
import { duration, percent } from './words.ts';

/** The file name of a run's media. */
export function mediaName({ media_url: url }: Pick<RunRecord, 'media_url'>): string {
  const last = url.split(/[?#]/, 1)[0]?.split('/').filter((part) => part !== '').at(-1) ?? url;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

export function isActive({ status }: Pick<RunRecord, 'status'>): boolean {
  return ['queued', 'running', 'cancelling'].includes(status);
}

/** The first file of a kind. */
export function outputOf(run: RunRecord, kind: string): RunRecord['outputs'][number] | undefined {
  return run.outputs.find((output) => output.kind === kind);
}

export function RunningRun({ run }: { run: RunRecord }) {
  return (
    <div class="running">
      <a href={href(['videos', run.run_id])}>{mediaName(run)}</a> <State of={run.status} /> <span>{run.stage ?? describeQueue(run)}</span>
      <Bar part={run.progress} label={`Summary of ${mediaName(run)}`} />
      <span class="number">{percent(run.progress)}{run.eta_seconds !== null && `, about ${duration(run.eta_seconds)} left`}</span>
      {run.waiting !== null && <p class="note">{run.waiting.detail}</p>}
    </div>
  );
}
