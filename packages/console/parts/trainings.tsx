import type { ModelRecord } from '@vouch/recommender/models/lists/modelList.schema';
import type { TrainingRecord } from '@vouch/recommender/models/training/training.schema';
import { describeTurn } from './describeQueue.ts';
import { Bar, State, When } from './parts.tsx';
import { duration, percent } from './words.ts';

export type Metrics = NonNullable<ModelRecord['metrics']>;

export function isOpen({ status }: Pick<TrainingRecord, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Remaining seconds if the rest of a training runs at the same speed; null while that is unknown. */
function secondsLeft({ started_at: started, progress }: TrainingRecord): number | null {
  if (started === null || progress < 0.05) return null;
  return ((Date.now() - new Date(started).getTime()) / 1000) * (1 - progress) / progress;
}

/** A training that runs or waits: stage, progress and the time left. @param open the open trainings of the model, the newest first, if known */
export function RunningTraining({ training, open }: { training: TrainingRecord; open?: readonly TrainingRecord[] }) {
  const left = secondsLeft(training);
  return (
    <div class="running">
      <State of={training.status} /> <span>{training.stage ?? describeTurn(training, open)}</span>
      <Bar part={training.progress} label={`Training of ${training.model_id}`} />
      <span class="number">{percent(training.progress)}{left !== null && `, about ${duration(left)} left`}</span>
      {training.waiting !== null && <p class="note">{training.waiting.detail}</p>}
    </div>
  );
}

/** How a training ended. */
export function EndedTraining({ training }: { training: TrainingRecord }) {
  return (
    <>
      <State of={training.status} /> {training.completed_at !== null && <When at={training.completed_at} />}
      {training.error !== null && <p class="note bad">{training.error.detail}</p>}
    </>
  );
}

/** A metric of the model beside popularity and item-kNN, each with its 95 % interval, on one scale. */
export function MetricBars({ metrics, name }: { metrics: Metrics; name: 'recall@20' | 'ndcg@20' }) {
  const rows = [
    { label: 'This model', of: metrics[name], own: true },
    { label: 'Popularity', of: metrics.popularity[name], own: false },
    { label: 'Item-kNN', of: metrics['item-knn'][name], own: false },
  ];
  const most = Math.max(...rows.map(({ of }) => of.high), 1e-9);
  return (
    <dl class="metric" aria-label={name}>
      {rows.map(({ label, of, own }) => (
        <div key={label} class={own ? 'own' : ''}>
          <dt>{label}</dt>
          <dd>
            <span class="interval" aria-hidden="true">
              <span class="value" style={{ width: `${(100 * of.value) / most}%` }} />
              <span class="range" style={{ left: `${(100 * of.low) / most}%`, width: `${(100 * (of.high - of.low)) / most}%` }} />
            </span>
            <span class="number" title={`95 % interval ${of.low.toFixed(3)} to ${of.high.toFixed(3)}`}>{of.value.toFixed(3)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Verdict({ metrics }: { metrics: Metrics | null }) {
  if (metrics === null) return <span class="quiet" title="No user has two interactions, so nothing can be held out.">not measured</span>;
  const better = metrics.verdict === 'better than popularity';
  return <span class={`state ${better ? 'good' : 'quiet'}`} title={metrics.verdict_reason}>{metrics.verdict}</span>;
}
