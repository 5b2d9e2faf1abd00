import type { RunRecord } from '@vouch/video/runs/run.schema';
import { counted } from './words.ts';

/** What a run without a stage waits for. */
export function describeQueue({ runs_ahead: ahead }: Pick<RunRecord, 'runs_ahead'>): string {
  return ahead ? `waiting for ${counted(ahead, 'run')} ahead` : 'waiting for a worker';
}
