import { disconnect, onMessage, send } from '@vouch/platform/process/nodeChild';
import { openDuckDb, parquetTable } from '../../models/arrays/duckdb.ts';
import { nextPage, parseReadRequest, type ReadRequest, type UploadedInteraction } from './readUpload.messages.ts';

// Any error ends this process with its message.
let proceed: () => void = () => {};
onMessage((message) => {
  if (message === nextPage) proceed();
  else void read(parseReadRequest(message)).then(disconnect);
});

const pageRows = 10_000;

/** Sends the interactions page by page, each after the parent asks for it, so that neither process holds more than a page. */
async function read({ path, temporaryFolder, types, from }: ReadRequest): Promise<void> {
  const connection = await openDuckDb({ memory: '192MB', threads: 1, temporaryFolder });
  try {
    const list = types.map((type) => `'${type.replaceAll("'", "''")}'`).join(', ');
    const result = await connection.stream(
      `SELECT source_id, coalesce("type", ''), CAST("timestamp" AS DOUBLE) FROM ${parquetTable([path])} WHERE coalesce("type", '') IN (${list}) AND "timestamp" >= ${Math.floor(from)}`);
    let page: UploadedInteraction[] = [];
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      for (const [source, type, time] of chunk.getRows()) page.push({ source_id: String(source), type: String(type), happened_at: Number(time) });
      if (page.length >= pageRows) {
        await sendPage(page);
        page = [];
      }
    }
    if (page.length > 0) await sendPage(page);
  } finally {
    connection.closeSync();
  }
}

async function sendPage(page: readonly UploadedInteraction[]): Promise<void> {
  const asked = new Promise<void>((resolve) => { proceed = resolve; });
  await send(page);
  await asked;
}
