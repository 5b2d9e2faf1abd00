import type { Message } from '@vouch/client/generated/schemas';
import { call } from '../api/call.ts';
import { useLoad } from '../api/useLoad.ts';
import { FaultNote, Loading, Page, State, Table, When } from '../parts/parts.tsx';
import { count, duration } from '../parts/words.ts';

/** The steps of a message in their order. */
const steps: readonly (readonly [keyof Message['times'], string])[] = [
  ['received', 'Received'], ['verified', 'Signature and rules checked'], ['simulated', 'Simulated'], ['batched', 'Put into a transaction'],
  ['sent', 'Sent to the chain'], ['mined', 'Mined'], ['ended', 'Ended'],
];
const hasEnded = ({ status }: Message): boolean => ['confirmed', 'failed', 'expired'].includes(status);

/** One signed message as a timeline, with the reason where it failed or waits. */
export function OneMessage({ id }: { id: string }) {
  const path = `/gateway/requests/${encodeURIComponent(id)}`;
  const { value, fault, reload } = useLoad(path, (stop) => call<Message>(path, { signal: stop }), (message) => (message === null || hasEnded(message) ? 0 : 1_000));
  return (
    <Page title={value === null ? 'Message' : `Message: ${value.kind}`} call={path}>
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading lines={6} /> : <Content message={value} />}
    </Page>
  );
}

/** Latest second that a `Date` can express. A signer may choose any number of 256 bits. */
const latestSecond = 8_640_000_000_000;

function Expiry({ seconds }: { seconds: number }) {
  return seconds <= latestSecond ? <> (<When at={new Date(seconds * 1000).toISOString()} />)</> : null;
}

function Content({ message }: { message: Message }) {
  const received = Date.parse(message.times.received ?? '');
  return (
    <>
      <p><State of={message.status} /> signed by <code>{message.signer}</code></p>
      {message.reason !== null && <p class={`note ${message.status === 'confirmed' ? '' : 'bad'}`}>{message.reason.message} <code>{message.reason.code}</code></p>}
      {message.waits_for !== null && <p class="note">{message.waits_for}</p>}
      <ol class="steps">
        {steps.map(([name, label]) => {
          const at = message.times[name];
          return <li key={name} class={at === null ? 'quiet' : 'reached'}>{label}{at !== null && <> <When at={at} /> <span class="quiet">+{duration((Date.parse(at) - received) / 1000)}</span></>}</li>;
        })}
      </ol>
      <dl class="facts">
        {Object.entries(message.operation).map(([name, value]) => <div key={name}><dt>{name}</dt><dd><code>{value}</code>{name === 'expiredAt' && <Expiry seconds={Number(value)} />}</dd></div>)}
        {message.gas !== null && <div><dt>Gas of this message</dt><dd>{count(message.gas.used)}, {count(Math.abs(message.gas.saved))} {message.gas.saved < 0 ? 'more' : 'less'} than as a transaction of the signer</dd></div>}
      </dl>
      {message.transactions.length > 0 && (
        <Table label="Transactions" columns={['Transaction', 'Nonce', 'Highest fee', 'Created', 'Mined']}>
          {message.transactions.map((each) => (
            <tr key={each.transaction_hash}><td><code>{each.transaction_hash}</code></td><td class="number">{each.nonce}</td><td class="number">{each.max_fee_gwei} gwei</td><td><When at={each.created_at} /></td><td>{each.mined ? 'yes' : 'no'}</td></tr>
          ))}
        </Table>
      )}
    </>
  );
}
