import { useState } from 'preact/hooks';
import type { GatewayBatch, GatewayInfo } from '@vouch/client/generated/schemas';
import { ask, call } from '../api/call.ts';
import { go, href } from '../api/place.ts';
import { useLoad } from '../api/useLoad.ts';
import { Empty, FaultNote, Loading, Page, State, Table, When } from '../parts/parts.tsx';
import { count, counted } from '../parts/words.ts';

/** The chain, the relayer keys and the transactions of the gateway. */
export function Gateway() {
  const info = useLoad('gateway', (stop) => call<GatewayInfo>('/gateway/info', { signal: stop }), () => 5_000);
  return (
    <Page title="Gateway" call="/gateway/batches?limit=100">
      {info.fault !== null && <FaultNote fault={info.fault} retry={info.reload} />}
      {info.value === null ? info.fault === null && <Loading /> : info.value.configured ? <Configured info={info.value} /> : (
        <Empty title="No chain is configured">
          <p>The gateway posts signed messages of node operators on a chain. Set {info.value.missing.join(', ') || 'the chain'}, or start the server with <code>vouch serve --devnet</code> for a local chain.</p>
        </Empty>
      )}
    </Page>
  );
}

function Configured({ info }: { info: GatewayInfo }) {
  const batches = useLoad('gateway batches', (stop) => ask<GatewayBatch[]>('/gateway/batches', { query: { limit: 100 }, signal: stop }), () => 3_000);
  const list = batches.value?.body ?? [];
  const saved = list.reduce((sum, { gas_saved: gas }) => sum + (gas ?? 0), 0);
  return (
    <>
      <section class="tiles" aria-label="Chain">
        <article><h2>Chain</h2><p class="figure">{info.chain?.chain_id}</p><p>{info.chain?.reachable === false ? 'does not answer' : `block ${count(info.chain?.block ?? 0)}`}{info.chain?.local === true && ', local'}</p></article>
        <article><h2>Relayer keys</h2><p class="figure">{info.relayers.length}</p>
          {info.relayers.map(({ address, status, pause_code: code }) => <p key={address}><span class={`state ${status === 'running' ? 'good' : 'bad'}`}>{status}</span> <code title={address}>{address.slice(0, 10)}…</code> {code !== null && `(${code})`}</p>)}</article>
        <article><h2>Gas saved</h2><p class="figure">{count(saved)}</p><p>in the newest {list.length === 1 ? 'transaction' : counted(list.length, 'transaction')}, compared with one transaction per message{saved < 0 && '; a batch of one message costs more'}</p></article>
      </section>
      <FindMessage />
      <section aria-label="Transactions">
        <h2>Transactions</h2>
        {batches.fault !== null && <FaultNote fault={batches.fault} retry={batches.reload} />}
        {batches.value !== null && list.length === 0 && <p class="quiet">No message has been sent yet. The <a href="/docs/guides/gateway" target="_blank" rel="noreferrer">guide of the gateway</a> shows how an operator signs one.</p>}
        {list.length > 0 && (
          <Table label="Transactions" columns={['Created', 'State', 'Purpose', 'Messages', 'Gas', 'Saved', 'Transaction']}>
            {list.map((batch) => (
              <tr key={batch.batch_id}>
                <td><When at={batch.created_at} /></td>
                <td><State of={batch.status} />{batch.reason !== null && <p class="note">{batch.reason}</p>}</td>
                <td>{batch.purpose}</td>
                <td class="number">{count(batch.operations)}</td>
                <td class="number">{batch.gas_used !== null && count(batch.gas_used)}</td>
                <td class="number">{batch.gas_saved !== null && count(batch.gas_saved)}</td>
                <td><code title={batch.transaction_hash ?? ''}>{batch.transaction_hash?.slice(0, 12)}</code></td>
              </tr>
            ))}
          </Table>
        )}
      </section>
    </>
  );
}

function FindMessage() {
  const [id, setId] = useState('');
  return (
    <form class="row" aria-label="Message" onSubmit={(event) => { event.preventDefault(); go(href(['gateway', id.trim()])); }}>
      <span class="field wide"><label for="message">Message</label> <input id="message" class="wide" value={id} required placeholder="request id in the answer to the message" onInput={(event) => setId(event.currentTarget.value)} /></span>
      <button type="submit">Show</button>
    </form>
  );
}
