import { useState } from 'preact/hooks';
import type { ModelRecord } from '@vouch/recommender/models/lists/modelList.schema';
import { ask, call } from '../api/call.ts';
import { go, href } from '../api/place.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { pagedPath, Pages } from '../parts/pages.tsx';
import { Empty, FaultNote, Loading, Page, Table, When } from '../parts/parts.tsx';
import { EndedTraining, isOpen, RunningTraining, Verdict } from '../parts/trainings.tsx';

/** All models: the version that answers, its verdict, and the latest training. */
export function Models() {
  const path = pagedPath('/v1/recommender/models');
  const { value, fault, reload } = useLoad(path, (stop) => ask<ModelRecord[]>(path, { signal: stop }),
    (models) => (models?.body.some(({ training }) => isOpen(training)) === true ? 1_500 : 10_000));
  return (
    <Page title="Models" call={path}>
      {may('model:train') && <Train />}
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading /> : value.body.length === 0
        ? <Empty title="No model yet"><p>A model is trained from the uploaded <a href={href(['data'])}>data</a>.</p></Empty>
        : (
          <Table label="Models" columns={['Model', 'Answers with', 'Verdict', 'Latest training']}>
            {value.body.map((model) => (
              <tr key={model.model_id}>
                <th scope="row"><a href={href(['models', model.model_id])}>{model.model_id}</a></th>
                <td>{model.serving_version === null ? 'nothing yet' : <><a href={href(['try'], { model: model.model_id })}>version {model.serving_version}</a>{model.served_since !== null && <>, <When at={model.served_since} /></>}</>}</td>
                <td>{model.serving_version === null ? '' : <Verdict metrics={model.metrics} />}</td>
                <td>{isOpen(model.training) ? <RunningTraining training={model.training} /> : <EndedTraining training={model.training} />}</td>
              </tr>
            ))}
          </Table>
        )}
      {value !== null && <Pages of="models" next={value.next} />}
    </Page>
  );
}

/** Starts a training of a new or an existing model. */
function Train() {
  const [name, setName] = useState('');
  const [tags, setTags] = useState('');
  const [filter, setFilter] = useState('');
  const { busy, fault, send } = useSend();
  const start = async (): Promise<void> => {
    const { model_id: id } = await call<{ model_id: string }>('/v1/recommender/train', {
      method: 'POST', body: { ...(name === '' ? {} : { model_id: name }), ...(tags.trim() === '' ? {} : { data_tags: tags }), ...(filter.trim() === '' ? {} : { parameters: { filter } }) },
    });
    go(href(['models', id]));
  };
  return (
    <form class="row" aria-label="Train" onSubmit={(event) => { event.preventDefault(); send(start); }}>
      <span class="field"><label for="model">Model</label> <input id="model" value={name} pattern="[A-Za-z0-9._\-]{1,128}" title="Letters, digits, dot, underscore and hyphen" onInput={(event) => setName(event.currentTarget.value)} placeholder="films" /></span>
      <span class="field"><label for="data-tags">Only data with tags</label> <input id="data-tags" value={tags} onInput={(event) => setTags(event.currentTarget.value)} placeholder="all data" /></span>
      <span class="field"><label for="data-filter">Only data where</label> <input id="data-filter" value={filter} maxLength={4096} onInput={(event) => setFilter(event.currentTarget.value)} placeholder="item.year &gt;= 2000" /></span>
      <button type="submit" disabled={busy}>Train</button>
      {fault !== null && <FaultNote fault={fault} />}
    </form>
  );
}
