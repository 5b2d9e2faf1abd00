import { useState } from 'preact/hooks';
import type { EntityRecord } from '@vouch/recommender/recommendations/entities.schema';
import type { Explanation } from '@vouch/client/generated/schemas';
import { call, withQuery } from '../api/call.ts';
import { useLoad } from '../api/useLoad.ts';
import { ApiCall } from '../parts/apiCall.tsx';
import { FaultNote, Loading } from '../parts/parts.tsx';
import { percent } from '../parts/words.ts';
import { sharedNames } from '../parts/sharedNames.ts';

/** The list that an item is looked for in, as parameters of `explain`. */
export interface AskedList {
  model_id: string;
  source_id: string;
  entity_type: string;
  threshold: string;
  filter: string;
  max_recommendations: string;
}

/** Finds an item, and says why the list has the item at its rank, or why not. */
export function WhyNot({ list }: { list: AskedList }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<EntityRecord | null>(null);
  const path = `/v1/recommender/${encodeURIComponent(list.model_id)}/entities`;
  const { value, fault } = useLoad(`${path} why ${text}`, async (stop) => {
    await new Promise((later) => setTimeout(later, 150));
    return stop.aborted || text === '' ? [] : call<EntityRecord[]>(path, { query: { query: text, limit: 6 }, signal: stop });
  });
  const shared = sharedNames((value ?? []).map(({ name }) => name));
  return (
    <section class="search" aria-label="Why not">
      <label for="why-not">Why is an item not in this list?</label>
      <input id="why-not" type="search" value={text} placeholder="Name or id of the item" autocomplete="off" onInput={(event) => { setText(event.currentTarget.value); setChosen(null); }} />
      {fault !== null && <FaultNote fault={fault} />}
      {chosen === null && text !== '' && value !== null && (
        value.length === 0
          ? <p class="quiet">No entity of this model has “{text}” in its name or id.</p>
          : <ul class="found" aria-label="Found items">{value.map((entity) => <li key={entity.id}><button type="button" class="choice" onClick={() => { setText(entity.name ?? entity.id); setChosen(entity); }}><span>{entity.name ?? entity.id}{shared.has(entity.name) && <small>{entity.id}</small>}</span></button></li>)}</ul>
      )}
      {chosen !== null && <Cause list={list} item={chosen} />}
    </section>
  );
}

function Cause({ list, item }: { list: AskedList; item: EntityRecord }) {
  const path = withQuery('/v1/recommender/explain', { ...list, target_id: item.id });
  const { value, fault, reload } = useLoad(path, (stop) => call<Explanation>(path, { signal: stop }));
  if (fault !== null) return <FaultNote fault={fault} retry={reload} />;
  if (value === null) return <Loading lines={2} />;
  const name = item.name ?? item.id;
  return (
    <div role="status" aria-label="Answer">
      {value.listed
        ? <p>“{name}” is in the list, at rank {value.rank}.</p>
        : <ul class="plain-list">{value.causes.map(({ code, text, rule }) => <li key={code + text}>{text}{rule !== undefined && <> Rule: {rule}.</>}</li>)}</ul>}
      {!value.listed && value.rank !== null && <p class="quiet">Without {value.causes.length === 1 ? 'this cause' : 'these causes'}, “{name}” would be at rank {value.rank}.</p>}
      {value.reasons.length > 0 && <ul class="reasons">{value.reasons.map(({ text, share }) => <li key={text}>{text} <span class="share">{percent(share)}</span></li>)}</ul>}
      {value.listed && value.reasons.length === 0 && <p class="quiet">Nothing that can be named carries 5 % of its score.</p>}
      <ApiCall path={path} />
    </div>
  );
}
