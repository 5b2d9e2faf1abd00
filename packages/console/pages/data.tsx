import { useState } from 'preact/hooks';
import type { BatchRecord } from '@vouch/recommender/batches/batch.schema';
import { ask, call } from '../api/call.ts';
import { href } from '../api/place.ts';
import { may } from '../api/session.ts';
import { useLoad } from '../api/useLoad.ts';
import { useSend } from '../api/useSend.ts';
import { pagedPath, Pages } from '../parts/pages.tsx';
import { Empty, FaultNote, Loading, Page, Table, When } from '../parts/parts.tsx';
import { count, counted } from '../parts/words.ts';
import { LoadSample } from './loadSample.tsx';
import { UploadFiles } from './uploadFiles.tsx';

const path = '/v1/recommender/data_batch';

/** The batches, and the upload of further ones. */
export function Data() {
  const page = pagedPath(path);
  const { value, fault, reload } = useLoad(page, (stop) => ask<BatchRecord[]>(page, { signal: stop }));
  const [stored, setStored] = useState<BatchRecord[]>([]);
  return (
    <Page title="Data" call={page}>
      {may('data:write') && <UploadFiles stored={(batches) => { setStored(batches); reload(); }} />}
      {stored.length > 0 && <p class="note good" role="status">Stored {stored.map(describe).join(' and ')}. <a href={href(['models'])}>Train a model</a></p>}
      {fault !== null && <FaultNote fault={fault} retry={reload} />}
      {value === null ? fault === null && <Loading /> : value.body.length === 0
        ? <Empty title="No data yet"><p>Upload your files, or</p><LoadSample started={reload} /></Empty>
        : <Batches batches={value.body} changed={reload} />}
      {value !== null && <Pages of="data" next={value.next} />}
    </Page>
  );
}

function describe({ entity_count: entities, interaction_count: interactions }: BatchRecord): string {
  return entities > 0 ? counted(entities, 'entity', 'entities') : counted(interactions, 'interaction');
}

function Batches({ batches, changed }: { batches: readonly BatchRecord[]; changed: () => void }) {
  return (
    <Table label="Batches" columns={['Uploaded', 'Content', 'Rows', 'Tags', 'Id', ...(may('data:write') ? ['Delete'] : [])]}>
      {batches.map((batch) => (
        <tr key={batch.batch_id}>
          <td><When at={batch.timestamp} /></td>
          <td>{batch.entity_count > 0 ? 'entities' : 'interactions'}</td>
          <td class="number">{count(batch.entity_count + batch.interaction_count)}</td>
          <td>{batch.tags.map((tag) => <span class="tag" key={tag}>{tag}</span>)}</td>
          <td><code title={batch.batch_id}>{batch.batch_id.slice(0, 8)}</code></td>
          {may('data:write') && <td><Delete batch={batch} deleted={changed} /></td>}
        </tr>
      ))}
    </Table>
  );
}

/** Deletes after a second click. */
function Delete({ batch, deleted }: { batch: BatchRecord; deleted: () => void }) {
  const [asked, setAsked] = useState(false);
  const { busy, fault, send } = useSend();
  const remove = (): void => send(() => call(path, { method: 'DELETE', query: { batch_id: batch.batch_id } }).then(deleted));
  if (fault !== null) return <span class="note bad">{fault.detail}</span>;
  return asked
    ? <><button type="button" class="danger" disabled={busy} onClick={remove}>Delete {count(batch.entity_count + batch.interaction_count)} rows</button> <button type="button" class="plain" onClick={() => setAsked(false)}>Keep</button></>
    : <button type="button" class="plain" aria-label={`Delete batch ${batch.batch_id.slice(0, 8)}`} onClick={() => setAsked(true)}>Delete…</button>;
}
