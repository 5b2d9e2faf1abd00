import { useState } from 'preact/hooks';
import type { Rule, RulePreview } from '@vouch/client/generated/schemas';
import { call } from '../api/call.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { Empty, FaultNote, Loading, Page, State, Table, When } from '../parts/parts.tsx';
import { Preview } from '../parts/preview.tsx';

const path = '/v1/recommender/rules';
const pathOf = (name: string): string => `${path}/${encodeURIComponent(name)}`;

/** What a rule does, in the form of a request. */
type Draft = Pick<Rule, 'name'> & { filter?: string; boost?: string };

/** The named rules of the organization, and a form that tries a rule before it applies. */
export function Rules() {
  const { value, fault, reload } = useLoad('rules', (stop) => call<Rule[]>(path, { signal: stop }), () => 10_000);
  return (
    <Page title="Rules" call={path}>
      {may('model:train') && <NewRule changed={reload} />}
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading /> : value.length === 0
        ? <Empty title="No rules"><p>A rule filters or boosts the items of every list, for example <code>item.stock &gt; 0</code>. It applies on every server within a second.</p></Empty>
        : (
          <Table label="Rules" columns={['Rule', 'Filter', 'Boost', 'Model', 'State', 'Change']}>
            {value.map((rule) => <Row key={rule.name} rule={rule} changed={reload} />)}
          </Table>
        )}
    </Page>
  );
}

function NewRule({ changed }: { changed: () => void }) {
  const [draft, setDraft] = useState({ name: '', filter: '', boost: '' });
  const [preview, setPreview] = useState<RulePreview | null>(null);
  const { busy, fault, send } = useSend();
  const { name, ...body } = requestOf(draft);
  const tryOut = (): void => send(async () => setPreview(await call<RulePreview>(`${pathOf(name)}/preview`, { method: 'POST', body })));
  const keep = (): void => send(async () => {
    await call(pathOf(name), { method: 'PUT', body });
    setDraft({ name: '', filter: '', boost: '' });
    setPreview(null);
    changed();
  });
  const field = (key: keyof typeof draft, label: string, placeholder: string) => (
    <span class="field wide"><label for={key}>{label}</label> <input id={key} class="wide" required={key === 'name'} value={draft[key]} placeholder={placeholder} onInput={(event) => setDraft({ ...draft, [key]: event.currentTarget.value })} /></span>
  );
  return (
    <section aria-label="New rule">
      <form class="row" onSubmit={(event) => { event.preventDefault(); tryOut(); }}>
        {field('name', 'Rule', 'in-stock')}
        {field('filter', 'Filter', 'item.stock > 0')}
        {field('boost', 'Boost', '"new" in item.tags ? 1.5 : 1.0')}
        <button type="submit" disabled={busy}>Preview</button>
        <button type="button" class="plain" disabled={busy || name === ''} onClick={keep}>Put in force</button>
      </form>
      {fault !== null && <FaultNote fault={fault} />}
      {preview !== null && <Preview preview={preview} />}
    </section>
  );
}

function requestOf({ name, filter, boost }: Required<Draft>): Draft {
  return { name, ...(filter === '' ? {} : { filter }), ...(boost === '' ? {} : { boost }) };
}

function Row({ rule, changed }: { rule: Rule; changed: () => void }) {
  const { busy, fault, send } = useSend();
  const enable = (enabled: boolean): void => send(() => call(pathOf(rule.name), { method: 'PUT', body: { ...fieldsOf(rule), enabled } }).then(changed));
  return (
    <tr>
      <th scope="row">{rule.name}</th>
      <td>{rule.filter !== null && <code>{rule.filter}</code>}</td>
      <td>{rule.boost !== null && <code>{rule.boost}</code>}</td>
      <td>{rule.model_id ?? 'all models'}</td>
      <td>
        <State of={rule.status} />
        {rule.status === 'scheduled' && rule.valid_from !== null && <>, begins <When at={rule.valid_from} /></>}
        {rule.status === 'in_force' && rule.valid_until !== null && <>, ends <When at={rule.valid_until} /></>}
        {rule.warnings.map(({ model_id: id, detail }) => <p class="note bad" key={id}>{id}: {detail}</p>)}
        {fault !== null && <p class="note bad">{fault.detail}</p>}
      </td>
      <td>
        {may('model:train') && (
          <>
            <button type="button" class="plain" aria-label={`${rule.enabled ? 'Disable' : 'Enable'} ${rule.name}`} disabled={busy} onClick={() => enable(!rule.enabled)}>{rule.enabled ? 'Disable' : 'Enable'}</button>{' '}
            <button type="button" class="danger" aria-label={`Delete ${rule.name}`} disabled={busy} onClick={() => send(() => call(pathOf(rule.name), { method: 'DELETE' }).then(changed))}>Delete</button>
          </>
        )}
      </td>
    </tr>
  );
}

/** The fields of a rule for a PUT, without the ones that are null. */
function fieldsOf({ filter, boost, model_id, valid_from, valid_until }: Rule): object {
  return Object.fromEntries(Object.entries({ filter, boost, model_id, valid_from, valid_until }).filter(([, value]) => value !== null));
}
