import type { BatchRecord } from '@vouch/recommender/batches/batch.schema';
import type { ModelRecord } from '@vouch/recommender/models/lists/modelList.schema';
import type { RunRecord } from '@vouch/video/runs/run.schema';
import type { GatewayInfo } from '@vouch/client/generated/schemas';
import { call } from '../api/call.ts';
import { href } from '../api/place.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { LoadSample } from './loadSample.tsx';
import { FaultNote, Loading, Page, When } from '../parts/parts.tsx';
import { isOpen, RunningTraining, Verdict } from '../parts/trainings.tsx';
import { isActive, RunningRun } from '../parts/runs.tsx';
import { count, counted } from '../parts/words.ts';

interface State {
  batches: BatchRecord[];
  models: ModelRecord[];
  runs: RunRecord[];
  gateway: GatewayInfo | null;
}

/** What the key may not read, or the server does not serve, is empty. */
async function load(stop: AbortSignal): Promise<State> {
  const read = async <Body,>(scope: string, path: string, none: Body): Promise<Body> =>
    may(scope) ? call<Body>(path, { signal: stop }).catch((fault: { status?: number }) => { if (fault.status === 404) return none; throw fault; }) : none;
  const [batches, models, runs, gateway] = await Promise.all([
    read<BatchRecord[]>('data:read', '/v1/recommender/data_batch?limit=100', []),
    read<ModelRecord[]>('model:read', '/v1/recommender/models?limit=20', []),
    read<RunRecord[]>('video:read', '/v1/runs?limit=20', []),
    read<GatewayInfo | null>('admin', '/gateway/info', null),
  ]);
  return { batches, models, runs, gateway };
}

const isBusy = (state: State | null): boolean => state !== null && (state.models.some(({ training }) => isOpen(training)) || state.runs.some(isActive));

/** What is served, what runs now, and what failed lately. */
export function Overview() {
  const { value, fault, reload } = useLoad('overview', load, (state) => (isBusy(state) ? 1_500 : 10_000));
  return (
    <Page title="Overview" call="/v1/recommender/models">
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading lines={6} /> : <Content state={value} reload={reload} />}
    </Page>
  );
}

function Content({ state, reload }: { state: State; reload: () => void }) {
  const { batches, models, runs } = state;
  const empty = batches.length === 0 && models.length === 0 && runs.length === 0;
  return (
    <>
      {empty && <Doors reload={reload} />}
      {isBusy(state) && <RunningNow state={state} />}
      {!empty && <Served state={state} />}
      <Failures state={state} />
    </>
  );
}

/** The three ways to begin. */
function Doors({ reload }: { reload: () => void }) {
  return (
    <section class="doors" aria-label="Begin">
      <article>
        <h2>Look at an example</h2>
        <p>A generated library of films with its viewers: Vouch uploads the library, trains a model and recommends, with reasons.</p>
        <LoadSample started={reload} />
      </article>
      <article>
        <h2>Bring your data</h2>
        <p>CSV files of items and of interactions. Drop the files, see what Vouch reads, train a model.</p>
        <a class="button" href={href(['data'])}>Upload CSV files</a>
      </article>
      <article>
        <h2>Summarize a video</h2>
        <p>The URL of a film becomes a preview of its best segments. Each segment says why.</p>
        <a class="button" href={href(['videos'])}>Give a URL</a>
      </article>
    </section>
  );
}

function RunningNow({ state }: { state: State }) {
  return (
    <section aria-label="Running now">
      <h2>Running now</h2>
      <ul class="plain-list">
        {state.models.filter(({ training }) => isOpen(training)).map(({ model_id: id, training }) => (
          <li key={id}><a href={href(['models', id])}>{id}</a><RunningTraining training={training} /></li>
        ))}
        {state.runs.filter(isActive).map((run) => <li key={run.run_id}><RunningRun run={run} /></li>)}
      </ul>
    </section>
  );
}

function Served({ state: { batches, models, runs, gateway } }: { state: State }) {
  const serving = models.filter(({ serving_version: version }) => version !== null);
  const sum = (of: (batch: BatchRecord) => number): string => count(batches.reduce((total, batch) => total + of(batch), 0));
  const [newest] = serving;
  return (
    <section class="tiles" aria-label="Served">
      <article>
        <h2><a href={href(['models'])}>Models</a></h2>
        <p class="figure">{count(serving.length)}</p>
        {newest === undefined ? <p>No model answers yet. <a href={href(['models'])}>Train one</a>.</p> : (
          <p><a href={href(['try'], { model: newest.model_id })}>{newest.model_id}</a> version {newest.serving_version}
            {newest.served_since !== null && <>, <When at={newest.served_since} /></>}<br /><Verdict metrics={newest.metrics} /></p>
        )}
      </article>
      <article>
        <h2><a href={href(['data'])}>Data</a></h2>
        <p class="figure">{sum((batch) => batch.interaction_count)}</p>
        <p>interactions and {sum((batch) => batch.entity_count)} entities in {batches.length === 100 ? 'the newest ' : ''}{counted(batches.length, 'batch', 'batches')}</p>
      </article>
      <article>
        <h2><a href={href(['videos'])}>Videos</a></h2>
        <p class="figure">{count(runs.filter(({ status }) => status === 'completed').length)}{runs.length === 20 && '+'}</p>
        <p>{runs.length === 0 ? <a href={href(['videos'])}>Summarize a video</a> : 'previews made lately'}</p>
      </article>
      {gateway !== null && (
        <article>
          <h2><a href={href(['gateway'])}>Gateway</a></h2>
          <p class="figure">{gateway.configured ? gateway.relayers.filter(({ status }) => status === 'running').length : '–'}</p>
          <p>{!gateway.configured ? 'No chain is configured.' : gateway.chain?.reachable === false ? 'The chain does not answer.' : `relayer keys send, block ${gateway.chain?.block ?? 'unknown'}`}</p>
        </article>
      )}
    </section>
  );
}

function Failures({ state: { models, runs } }: { state: State }) {
  const failed = [
    ...models.flatMap(({ model_id: id, training: { error, completed_at: at } }) => (error === null ? [] : [{ what: `Training of ${id}`, to: href(['models', id]), error, at }])),
    ...runs.flatMap(({ run_id: id, media_url: url, error, completed_at: at }) => (error === null ? [] : [{ what: `Summary of ${url.split('/').at(-1) ?? url}`, to: href(['videos', id]), error, at }])),
  ].toSorted((a, b) => (b.at ?? '').localeCompare(a.at ?? ''));
  if (failed.length === 0) return null;
  return (
    <section aria-label="Failed lately">
      <h2>Failed lately</h2>
      <ul class="plain-list">
        {failed.slice(0, 5).map(({ what, to, error, at }) => (
          <li key={to}><a href={to}>{what}</a> {at !== null && <When at={at} />}<p class="note bad">{error.detail} <a href={error.type} target="_blank" rel="noreferrer">{error.code}</a></p></li>
        ))}
      </ul>
    </section>
  );
}
