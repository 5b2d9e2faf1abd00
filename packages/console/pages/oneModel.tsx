import type { TrainingRecord } from '@vouch/recommender/models/training/training.schema';
import { call } from '../api/call.ts';
import { href } from '../api/place.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { listWeights } from '../parts/listWeights.ts';
import { FaultNote, Loading, Page, Table, When } from '../parts/parts.tsx';
import { EndedTraining, isOpen, MetricBars, RunningTraining, Verdict } from '../parts/trainings.tsx';
import { count, duration, percent } from '../parts/words.ts';
import { Versions } from './versions.tsx';

/** One model: its metrics as bars, its data, its settings and its trainings. */
export function OneModel({ modelId }: { modelId: string }) {
  const path = `/v1/recommender/${encodeURIComponent(modelId)}/trainings`;
  const { value, fault, reload } = useLoad(`model ${modelId}`, (stop) => call<TrainingRecord[]>(path, { signal: stop }),
    (trainings) => (trainings?.some(isOpen) === true ? 1_000 : 0));
  const completed = value?.find(({ status }) => status === 'completed');
  const failed = lastFailure(value ?? []);
  const open = value?.filter(isOpen) ?? [];
  return (
    <Page title={modelId} call={path} actions={value !== null && <Actions modelId={modelId} latest={value[0]} open={open.length > 0} serves={completed !== undefined} changed={reload} />}>
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null && fault === null && <Loading lines={6} />}
      {open.map((training) => <RunningTraining key={training.created_at} training={training} open={open} />)}
      {failed !== undefined && <Failure training={failed} />}
      {completed !== undefined && <Completed training={completed} />}
      {completed !== undefined && <Versions modelId={modelId} newest={completed.completed_at ?? ''} />}
      {value !== null && <History trainings={value} />}
    </Page>
  );
}

/** The last training that ended, if it failed; a cancelled training does not count, because somebody stopped it. `vouch doctor` reports the same trainings. */
function lastFailure(trainings: readonly TrainingRecord[]): TrainingRecord | undefined {
  const last = trainings.find(({ status }) => status === 'completed' || status === 'error');
  return last?.status === 'error' ? last : undefined;
}

/** Why the last training failed, what to do, and what answers queries meanwhile. */
function Failure({ training: { error, completed_at: at, serving_version: version } }: { training: TrainingRecord }) {
  return (
    <div class="note bad" role="alert" aria-label="The last training failed">
      <p><strong>The last training failed</strong>{at !== null && <>, <When at={at} /></>}. {error?.detail}</p>
      <p>{version === null ? 'The model has no version that answers queries.' : `Version ${version} continues to answer queries.`} {error !== null && <a href={error.type} target="_blank" rel="noreferrer">What to do: {error.code}</a>}</p>
    </div>
  );
}

interface ActionsProps {
  modelId: string;
  latest: TrainingRecord | undefined;
  open: boolean;
  serves: boolean;
  changed: () => void;
}

function Actions({ modelId, latest, open, serves, changed }: ActionsProps) {
  const { busy, fault, send } = useSend();
  const post = (path: string, body: object): void => send(() => call(path, { method: 'POST', body }).then(changed));
  const again = (): void => post('/v1/recommender/train', { model_id: modelId, ...requestOf(latest) });
  return (
    <>
      {serves && may('recommend:read') && <a class="button" href={href(['try'], { model: modelId })}>Try it</a>}
      {may('model:train') && (open
        ? <button type="button" class="danger" disabled={busy} onClick={() => post(`/v1/recommender/${encodeURIComponent(modelId)}/cancel`, {})}>Stop the training</button>
        : <button type="button" disabled={busy} onClick={again}>Train again</button>)}
      {fault !== null && <FaultNote fault={fault} />}
    </>
  );
}

/** The options of a training in the form of a request, so that a new training repeats all of them. */
function requestOf(training: TrainingRecord | undefined): object {
  if (training === undefined) return {};
  const { data_tags: tags, maximum_interaction_age_days: days, publish, ...parameters } = training.parameters;
  return {
    parameters, ...(publish === undefined ? {} : { publish }), ...(tags.length > 0 ? { data_tags: tags } : {}), ...(days === null ? {} : { maximum_interaction_age_days: days }),
  };
}

function Completed({ training: { metrics, data, choice, parameters, warnings } }: { training: TrainingRecord }) {
  return (
    <>
      {warnings.map(({ code, detail }) => <p class="note" key={code + detail}>{detail}</p>)}
      {metrics !== null && (
        <section aria-label="Metrics">
          <h2>Newest training: <Verdict metrics={metrics} /></h2>
          <p>{metrics.verdict_reason}</p>
          <div class="columns">
            <div><h3>recall@20</h3><MetricBars metrics={metrics} name="recall@20" /></div>
            <div><h3>ndcg@20</h3><MetricBars metrics={metrics} name="ndcg@20" /></div>
          </div>
          <p class="aside">Measured on held-out interactions of {count(metrics.users)} users. The lists show {percent(metrics.coverage)} of the items to at least one user.</p>
        </section>
      )}
      {metrics === null && <p class="note">This training has no metrics: no user has two interactions, so nothing could be held out.</p>}
      <section class="columns" aria-label="Training">
        {data !== null && <div><h3>Data</h3><Facts rows={[
          ['Entities', count(data.entities.distinct)], ['Interactions', count(data.interactions.rows)], ['Used pairs', count(data.interactions.used)],
          ['Batches', count(data.batches)], ...(data.filter === undefined ? [] : [['Left out by the filter', `${count(data.filter.entities)} entities, ${count(data.filter.interactions)} pairs`] as const]),
          ['Newest interaction', data.interactions.newest_timestamp ?? 'no timestamps'],
          ...Object.entries(data.interactions.by_type).slice(0, 8).map(([type, rows]) => [`Type ${type || '(none)'}`, count(rows)] as const),
        ]} /></div>}
        <div><h3>Settings</h3><Facts rows={[
          ['Choice', typeof parameters.setting === 'string' ? parameters.setting : 'given'], ['Seed', String(parameters.seed)],
          ['Tags', parameters.data_tags.join(', ') || 'all data'],
          ['Maximum age', parameters.maximum_interaction_age_days === null ? 'unlimited' : `${parameters.maximum_interaction_age_days} days`],
          ...listWeights(parameters),
          ...(parameters.filter === undefined ? [] : [['Filter', parameters.filter]] as [string, string][]),
          ...(choice === null ? [] : [['Tried settings', count(choice.candidates.length)], ...Object.entries(choice.chosen).map(([name, of]) => [name, String(of)])] as [string, string][]),
        ]} /></div>
      </section>
    </>
  );
}

function Facts({ rows }: { rows: readonly (readonly [string, string])[] }) {
  return <dl class="facts">{rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function History({ trainings }: { trainings: readonly TrainingRecord[] }) {
  return (
    <section aria-label="Trainings">
      <h2>Trainings</h2>
      <Table label="Trainings" columns={['Requested', 'End', 'Duration', 'recall@20', 'Used pairs']}>
        {trainings.map((training) => (
          <tr key={training.created_at}>
            <td><When at={training.created_at} /></td>
            <td><EndedTraining training={training} /></td>
            <td class="number">{training.started_at !== null && training.completed_at !== null && duration((Date.parse(training.completed_at) - Date.parse(training.started_at)) / 1000)}</td>
            <td class="number">{training.metrics?.['recall@20'].value.toFixed(3)}</td>
            <td class="number">{training.data !== null && count(training.data.interactions.used)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
