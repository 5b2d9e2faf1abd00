import { useEffect, useRef, useState } from 'preact/hooks';
import type { BatchRecord } from '@vouch/recommender/batches/batch.schema';
import { toFault, type Fault } from '../api/call.ts';
import { leftBehind } from '../api/place.ts';
import { upload, type Upload } from '../api/upload.ts';
import { glanceAt, type Glance } from '../parts/csv.ts';
import { Bar, FaultNote, Table } from '../parts/parts.tsx';
import { count, percent, size } from '../parts/words.ts';

interface Chosen {
  file: File;
  glance: Glance;
}

/** Files dropped anywhere on the page, or chosen; shown before they are sent. */
export function UploadFiles({ stored }: { stored: (batches: BatchRecord[]) => void }) {
  const [chosen, setChosen] = useState<Chosen[]>([]);
  const [tags, setTags] = useState('');
  const [part, setPart] = useState<number | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [over, setOver] = useState(false);
  const running = useRef<Upload<BatchRecord[]> | null>(null);

  const choose = async (files: Iterable<File>): Promise<void> => {
    setFault(null);
    setChosen(await Promise.all([...files].map(async (file) => ({ file, glance: await glanceAt(file) }))));
  };
  useEffect(() => dropAnywhere(setOver, (files) => void choose(files)), []);
  useEffect(() => {
    if (part === null) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [part === null]);
  useEffect(() => () => {
    if (running.current === null) return;
    leftBehind.value = 'The upload was cancelled, because you left its page. Nothing of the upload was stored.';
    running.current.cancel();
  }, []);

  const send = async (): Promise<void> => {
    const form = new FormData();
    for (const tag of tags.split(',').map((each) => each.trim()).filter((each) => each !== '')) form.append('tags', tag);
    for (const { file } of chosen) form.append('files', file, file.name);
    setFault(null);
    setPart(0);
    try {
      running.current = upload<BatchRecord[]>('/v1/recommender/data_batch', form, setPart);
      stored(await running.current.done);
      setChosen([]);
    } catch (error) {
      setFault(toFault(error));
    }
    running.current = null;
    setPart(null);
  };

  return (
    <section aria-label="Upload">
      <div class={`drop ${over ? 'over' : ''}`}>
        <p><label class="button" for="files">Choose CSV files</label> or drop them anywhere on this page.</p>
        <input id="files" class="hidden-input" type="file" multiple accept=".csv,.gz,text/csv" onChange={(event) => void choose(event.currentTarget.files ?? [])} />
        <p class="aside">Entities: <code>id,type,name,metadata,media_url</code>. Interactions: <code>type,source_id,target_id,timestamp,metadata</code>. Gzip is accepted.</p>
      </div>
      {chosen.map(({ file, glance }) => <ShownFile key={file.name} file={file} glance={glance} />)}
      {chosen.length > 0 && part === null && (
        <form class="row" onSubmit={(event) => { event.preventDefault(); void send(); }}>
          <span class="field"><label for="tags">Tags</label> <input id="tags" value={tags} onInput={(event) => setTags(event.currentTarget.value)} placeholder="shop, 2026" /></span>
          <button type="submit">Upload {chosen.length === 1 ? 'the file' : `${chosen.length} files`}</button>
          <button type="button" class="plain" onClick={() => setChosen([])}>Remove</button>
        </form>
      )}
      {part !== null && (
        <div class="running"><span>{part < 1 ? 'Uploading' : 'Checking every row'}</span><Bar part={part} label="Upload" /><span class="number">{percent(part)}</span>
          <button type="button" class="plain" onClick={() => running.current?.cancel()}>Cancel</button></div>
      )}
      {fault !== null && <RowFaults fault={fault} />}
    </section>
  );
}

/** Listens for files over the whole window. */
function dropAnywhere(setOver: (over: boolean) => void, drop: (files: FileList) => void): () => void {
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  const over = (event: DragEvent): void => { if (carriesFiles(event)) { event.preventDefault(); setOver(true); } };
  const leave = (event: DragEvent): void => { if (event.relatedTarget === null) setOver(false); };
  const end = (event: DragEvent): void => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer !== null) drop(event.dataTransfer.files);
  };
  addEventListener('dragover', over);
  addEventListener('dragleave', leave);
  addEventListener('drop', end);
  return () => {
    removeEventListener('dragover', over);
    removeEventListener('dragleave', leave);
    removeEventListener('drop', end);
  };
}

const kinds: Readonly<Record<Glance['kind'], string>> = {
  entities: 'entities', interactions: 'interactions', compressed: 'compressed; the server looks inside',
  unknown: 'no known columns: the header needs id, or source_id and target_id',
};

function ShownFile({ file, glance }: Chosen) {
  return (
    <article class="file">
      <h3>{file.name} <span class="quiet">{size(file.size)}, {kinds[glance.kind]}</span></h3>
      {glance.columns.length > 0 && (
        <Table label={`First rows of ${file.name}`} columns={glance.columns.slice(0, 12)}>
          {glance.rows.map((row, at) => <tr key={at}>{row.slice(0, 12).map((field, column) => <td key={column} class="cut">{field}</td>)}</tr>)}
        </Table>
      )}
    </article>
  );
}

/** The faults of a refused upload by file, row and column, with a file to download. */
function RowFaults({ fault }: { fault: Fault }) {
  const rows = fault.errors?.filter(({ row, line }) => row !== undefined || line !== undefined) ?? [];
  if (rows.length === 0) return <FaultNote fault={fault} />;
  const quote = (text: unknown): string => `"${String(text ?? '').replaceAll('"', '""')}"`;
  const csv = ['file,row,line,column,value,reason', ...rows.map((each) => [each.location.replace(/^file:/, ''), each.row, each.line, each.column, each.value, each.detail].map(quote).join(','))].join('\n');
  return (
    <>
      <FaultNote fault={{ ...fault, errors: undefined }} />
      <Table label="Faults" columns={['File', 'Row', 'Column', 'Value', 'Reason']}>
        {rows.map((each, at) => (
          <tr key={at}><td>{each.location.replace(/^file:/, '')}</td><td class="number">{count(each.row ?? each.line ?? 0)}</td><td>{each.column}</td><td class="cut">{each.value}</td><td>{each.detail}</td></tr>
        ))}
      </Table>
      <p><a download="faults.csv" href={`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`}>Download the faults as CSV</a></p>
    </>
  );
}
