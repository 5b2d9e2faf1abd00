import { useState } from 'preact/hooks';
import type { ApiKey } from '@vouch/client/generated/schemas';
import { call } from '../api/call.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { CopyText } from '../parts/copyText.tsx';
import { Empty, FaultNote, Loading, Page, State, Table, When } from '../parts/parts.tsx';

const path = '/v1/keys';
/** Scopes in the order of the form, each with what its holder may do. */
const scopes: readonly (readonly [string, string])[] = [
  ['recommend:read', 'ask for recommendations'], ['recommend:publish', 'ask from a web page, and record its events'], ['data:read', 'list batches'], ['data:write', 'upload and delete batches'], ['model:read', 'see models'],
  ['model:train', 'start and stop trainings'], ['video:read', 'see videos'], ['video:write', 'start and cancel summaries'], ['admin', 'everything, also keys'],
];

/** The API keys of the organization. */
export function Keys() {
  const { value, fault, reload } = useLoad('keys', (stop) => call<ApiKey[]>(path, { signal: stop }));
  const shown = value?.filter(({ status }) => status === 'valid') ?? [];
  const ended = (value?.length ?? 0) - shown.length;
  const [all, setAll] = useState(false);
  return (
    <Page title="Keys" call={path}>
      <Create created={reload} />
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading /> : value.length === 0 ? <Empty title="No keys" /> : (
        <Table label="Keys" columns={['Name', 'Begins with', 'Scopes', 'State', 'Created', 'Last used', 'Revoke']}>
          {(all ? value : shown).map((key) => (
            <tr key={key.key_id}>
              <th scope="row">{key.name}</th>
              <td><code>{key.prefix === '' ? '—' : `${key.prefix}…`}</code></td>
              <td>{key.scopes.map((scope) => <span class="tag" key={scope}>{scope}</span>)}</td>
              <td><State of={key.status} />{key.status === 'valid' && key.expires_at !== null && <>, ends <When at={key.expires_at} /></>}</td>
              <td><When at={key.created_at} /></td>
              <td>{key.last_used_at === null ? 'never' : <When at={key.last_used_at} />}</td>
              <td>{key.status === 'valid' && <Revoke apiKey={key} revoked={reload} />}</td>
            </tr>
          ))}
        </Table>
      )}
      {ended > 0 && !all && <p><button type="button" class="plain" onClick={() => setAll(true)}>Show {ended} revoked or expired</button></p>}
    </Page>
  );
}

function Create({ created }: { created: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(['recommend:read']);
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, fault, send } = useSend();
  const create = async (): Promise<void> => {
    const made = await call<{ key: string }>(path, { method: 'POST', body: { name, scopes: chosen } });
    setSecret(made.key);
    setName('');
    created();
  };
  const toggle = (scope: string): void => setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  return (
    <section aria-label="New key">
      <form onSubmit={(event) => { event.preventDefault(); send(create); }}>
        <div class="row">
          <span class="field"><label for="name">Name</label> <input id="name" required maxLength={200} value={name} placeholder="shop" onInput={(event) => setName(event.currentTarget.value)} /></span>
          <button type="submit" disabled={busy || chosen.length === 0}>Create a key</button>
        </div>
        <fieldset class="scopes">
          <legend>May</legend>
          {scopes.map(([scope, sentence]) => (
            <label key={scope}><input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} /> {sentence} <code>{scope}</code></label>
          ))}
        </fieldset>
      </form>
      {secret !== null && <div class="note good" role="status"><p>The new key is shown only now. Copy the key to where it is used.</p><CopyText text={secret} /></div>}
      {fault !== null && <FaultNote fault={fault} />}
    </section>
  );
}

/** Revokes after a second click. */
function Revoke({ apiKey, revoked }: { apiKey: ApiKey; revoked: () => void }) {
  const [asked, setAsked] = useState(false);
  const { busy, fault, send } = useSend();
  const revoke = (): void => send(() => call(`${path}/${apiKey.key_id}`, { method: 'DELETE' }).then(revoked));
  if (fault !== null) return <span class="note bad">{fault.detail}</span>;
  return asked
    ? <><button type="button" class="danger" disabled={busy} onClick={revoke}>Revoke “{apiKey.name}” now</button> <button type="button" class="plain" onClick={() => setAsked(false)}>Keep</button></>
    : <button type="button" class="plain" aria-label={`Revoke ${apiKey.name}`} onClick={() => setAsked(true)}>Revoke…</button>;
}
