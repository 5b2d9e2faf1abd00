import { useState } from 'preact/hooks';
import type { EntityRecord } from '@vouch/recommender/recommendations/entities.schema';
import type { ModelRecord } from '@vouch/recommender/models/lists/modelList.schema';
import type { RecommendationsAnswer } from '@vouch/recommender/recommendations/recommendation.schema';
import { ask as askServer, call, withQuery } from '../api/call.ts';
import { go, href, place } from '../api/place.ts';
import { useLoad } from '../api/useLoad.ts';
import { ApiCall } from '../parts/apiCall.tsx';
import { Empty, FaultNote, Loading, Page } from '../parts/parts.tsx';
import { Item, Picture } from '../parts/items.tsx';
import { sharedNames } from '../parts/sharedNames.ts';
import { counted } from '../parts/words.ts';
import { WhyNot } from './whyNot.tsx';

/** What the page asks for; all of it is in the address of the page. */
interface Question {
  model: string;
  entity: string;
  type: string;
  threshold: string;
  filter: string;
  number: string;
}

const usualNumber = '24';

function readQuestion(query: URLSearchParams): Question {
  const of = (name: string): string => query.get(name) ?? '';
  return { model: of('model'), entity: of('entity'), type: of('type'), threshold: of('threshold'), filter: of('filter'), number: of('number') || usualNumber };
}

function ask(question: Question): void {
  go(href(['try'], { ...question, number: question.number === usualNumber ? '' : question.number }), true);
}

/** Recommendations of a model for one entity, with pictures and reasons. */
export function TryIt() {
  const models = useLoad('served models', (stop) => askServer<ModelRecord[]>('/v1/recommender/models?limit=200', { signal: stop }));
  const serving = models.value?.body.filter(({ serving_version: version }) => version !== null) ?? [];
  const question = readQuestion(place.value.query);
  const model = question.model === '' ? (serving[0]?.model_id ?? '') : question.model;
  return (
    <Page title="Try it">
      {models.fault !== null && <FaultNote fault={models.fault} retry={models.reload} />}
      {models.value === null && models.fault === null && <Loading />}
      {models.value !== null && model === '' && models.value.next === null && <Empty title="No model answers yet"><p><a href={href(['models'])}>Train a model</a>, then ask for recommendations here.</p></Empty>}
      {models.value !== null && model === '' && models.value.next !== null && (
        <form class="row" aria-label="Question" onSubmit={(event) => event.preventDefault()}><ModelField question={question} models={[]} more /></form>
      )}
      {model !== '' && <Asking question={{ ...question, model }} models={serving.map(({ model_id: id }) => id)} more={models.value?.next != null} />}
    </Page>
  );
}

interface ModelProps {
  question: Question;
  models: readonly string[];
  /** Whether the organization has further models, which `models` lacks. */
  more: boolean;
}

/** The model that answers, from a list, or by its id if the list is not complete. */
function ModelField({ question, models, more }: ModelProps) {
  const choose = (model: string): void => ask({ ...question, model: model.trim(), entity: '' });
  const choices = models.includes(question.model) || question.model === '' ? models : [question.model, ...models];
  return (
    <span class="field"><label for="model">Model</label> {more
      ? <><input id="model" list="models" value={question.model} placeholder="id of a model" onChange={(event) => choose(event.currentTarget.value)} /><datalist id="models">{choices.map((id) => <option key={id} value={id} />)}</datalist></>
      : <select id="model" value={question.model} onChange={(event) => choose(event.currentTarget.value)}>{choices.map((id) => <option key={id}>{id}</option>)}</select>}</span>
  );
}

function Asking({ question, models, more }: ModelProps) {
  return (
    <>
      <form class="row" aria-label="Question" onSubmit={(event) => event.preventDefault()}>
        <ModelField question={question} models={models} more={more} />
        <span class="field"><label for="threshold">Threshold</label> <input id="threshold" type="number" min="0" max="1" step="0.05" value={question.threshold} placeholder="0" onChange={(event) => ask({ ...question, threshold: event.currentTarget.value })} /></span>
        <span class="field"><label for="type">Types</label> <input id="type" value={question.type} placeholder="all" onChange={(event) => ask({ ...question, type: event.currentTarget.value })} /></span>
        <span class="field wide"><label for="filter">Filter</label> <input id="filter" class="wide" value={question.filter} placeholder="item.year > 1990" onChange={(event) => ask({ ...question, filter: event.currentTarget.value })} /></span>
      </form>
      <Search question={question} />
      <Answer question={question} />
      <WhyNot key={question.model + question.entity} list={{ model_id: question.model, source_id: question.entity, entity_type: question.type, threshold: question.threshold, filter: question.filter, max_recommendations: question.number }} />
    </>
  );
}

/** Finds an entity by a part of its name or id. */
function Search({ question }: { question: Question }) {
  const [text, setText] = useState('');
  const path = `/v1/recommender/${encodeURIComponent(question.model)}/entities`;
  const { value, fault } = useLoad(`${path} ${text}`, async (stop) => {
    await new Promise((later) => setTimeout(later, text === '' ? 0 : 150));
    return stop.aborted ? [] : call<EntityRecord[]>(path, { query: { query: text, limit: 12 }, signal: stop });
  });
  const shared = sharedNames((value ?? []).map(({ name }) => name));
  return (
    <section class="search" aria-label="Search">
      <label for="search">Recommend for</label>
      <input id="search" type="search" value={text} placeholder="Name or id of an item or user" autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
      {fault !== null && <FaultNote fault={fault} />}
      {value !== null && value.length === 0 && <p class="quiet">No entity of this model has “{text}” in its name or id.</p>}
      <ul class="found" aria-label="Found entities">
        {question.entity !== '' && <li><button type="button" class="plain" onClick={() => ask({ ...question, entity: '' })}>Nobody: trending items</button></li>}
        {(value ?? []).map((entity) => (
          <li key={entity.id}>
            <button type="button" class="choice" aria-pressed={question.entity === entity.id} onClick={() => ask({ ...question, entity: entity.id })}>
              <Picture id={entity.id} name={entity.name} url={entity.media_url} small />
              <span>{entity.name ?? entity.id}{shared.has(entity.name) && <small>{entity.id}</small>}<small>{entity.role === 'item' ? `${entity.type ?? 'item'}, ${counted(entity.interactions, 'user')}` : entity.role === 'user' ? `user, ${counted(entity.interactions, 'item')}` : 'no interactions'}</small></span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An id with a comma or a quote is quoted as in CSV, and one with blanks at its ends, which would be trimmed. */
function listMember(id: string): string {
  return /[",]|^\s|\s$/.test(id) ? `"${id.replaceAll('"', '""')}"` : id;
}

function pathOf({ model, entity, type, threshold, filter, number }: Question): string {
  const shared = { output_format: 'json', max_recommendations: number, entity_type: type, threshold, filter };
  return entity === ''
    ? withQuery('/v1/recommender/trending_items', { model_id: model, ...shared })
    : withQuery('/v1/recommender/related_items', { model_id: model, entity_id: listMember(entity), ...shared });
}

/** The name of an entity; its id until the name is known. */
function Name({ model, id }: { model: string; id: string }) {
  const path = `/v1/recommender/${encodeURIComponent(model)}/entities`;
  const { value } = useLoad(`${path} name ${id}`, (stop) => call<EntityRecord[]>(path, { query: { query: id, limit: 5 }, signal: stop }));
  return <span class="name">{value?.find((entity) => entity.id === id)?.name ?? id}</span>;
}

function Answer({ question }: { question: Question }) {
  const path = pathOf(question);
  const { value, fault, reload } = useLoad(path, (stop) => call<RecommendationsAnswer>(path, { signal: stop }));
  const list = value?.recommendations ?? [];
  const shared = sharedNames(list.map(({ name }) => name));
  return (
    <section aria-label="Recommendations">
      <h2>{question.entity === '' ? 'Trending items' : <>Recommended for <Name model={question.model} id={question.entity} /></>}</h2>
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null && fault === null && <Loading lines={4} />}
      {value !== null && list.length === 0 && <WhyEmpty question={question} warnings={value.warnings ?? []} />}
      <ol class="items">
        {list.map((each) => <Item key={each.target_id} item={each} to={href(['try'], { model: question.model, entity: each.target_id })} withId={shared.has(each.name)} />)}
      </ol>
      {value !== null && (
        <div class="row">
          <span class="quiet">Model {value.model_id}, version {value.model_version}, {counted(list.length, 'item')}</span>
          {String(list.length) === question.number && <button type="button" class="plain" onClick={() => ask({ ...question, number: String(Number(question.number) * 2) })}>Show more</button>}
        </div>
      )}
      <ApiCall path={path} />
    </section>
  );
}

/** The most likely reason for an empty answer, and the way out. */
function WhyEmpty({ question, warnings }: { question: Question; warnings: NonNullable<RecommendationsAnswer['warnings']> }) {
  const limits = [
    question.filter === '' ? null : { name: 'filter', value: question.filter, without: { ...question, filter: '' } },
    question.threshold === '' || Number(question.threshold) === 0 ? null : { name: 'threshold', value: question.threshold, without: { ...question, threshold: '' } },
    question.type === '' ? null : { name: 'types', value: question.type, without: { ...question, type: '' } },
  ].filter((limit) => limit !== null);
  return (
    <Empty title="No item passes">
      {warnings.map(({ code, detail }) => <p key={code}>{detail}</p>)}
      {limits.length === 0
        ? <p>The model has no item for this entity: the entity has no interactions in common with others, or has everything already.</p>
        : limits.map(({ name, value, without }) => <p key={name}>The {name} <code>{value}</code> {name === 'types' ? 'leave' : 'leaves'} items out. <button type="button" class="plain" onClick={() => ask(without)}>Ask without the {name}</button></p>)}
    </Empty>
  );
}
