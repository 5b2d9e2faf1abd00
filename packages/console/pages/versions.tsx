import type { VersionRecord } from '@vouch/recommender/models/versions/version.schema';
import { call } from '../api/call.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { FaultNote, Table, When } from '../parts/parts.tsx';
import { Verdict } from '../parts/trainings.tsx';

/** The kept versions of a model; another version can be made to serve. @param newest a text that changes when a training ends */
export function Versions({ modelId, newest }: { modelId: string; newest: string }) {
  const path = `/v1/recommender/${encodeURIComponent(modelId)}`;
  const { value, fault, reload } = useLoad(`${path}/versions ${newest}`, (stop) => call<VersionRecord[]>(`${path}/versions`, { signal: stop }));
  const { busy, fault: failed, send } = useSend();
  const serve = (version: number): void => send(() => call(`${path}/rollback`, { method: 'POST', body: { version } }).then(reload));
  const shown = failed ?? fault;
  return (
    <section aria-label="Versions">
      <h2>Versions</h2>
      {shown !== null && <FaultNote fault={shown} retry={reload} />}
      {value !== null && (
        <Table label="Versions" columns={['Version', 'Trained', 'recall@20', 'Verdict', 'Answers queries']}>
          {value.map(({ version, created_at: at, metrics, serving }) => (
            <tr key={version}>
              <th scope="row">{version}</th>
              <td><When at={at} /></td>
              <td class="number">{metrics?.['recall@20'].value.toFixed(3)}</td>
              <td><Verdict metrics={metrics} /></td>
              <td>{serving ? <span class="state good">yes</span> : may('model:train') && <button type="button" class="plain" disabled={busy} onClick={() => serve(version)}>Let version {version} answer</button>}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
