import { onMessage, send } from '@vouch/platform/process/nodeChild';
import { numberColumn, textColumn } from '../models/arrays/columns.ts';
import { openDuckDb, parquetTable } from '../models/arrays/duckdb.ts';
import { nextPage, parseReadRequest, type FileInteraction, type InteractionPage, type ReadRequest } from './readInteractions.messages.ts';
import { mayStateWeight, statedWeight } from './statedWeight.ts';

// Any error ends this process with its message.
let proceed: () => void = () => {};
onMessage((message) => {
  if (message === nextPage) proceed();
  else void read(parseReadRequest(message));
});

/** Sends the interactions chunk by chunk, each after the parent asks for it, so that neither process holds more than two chunks of 2,048 rows. */
async function read(request: ReadRequest): Promise<void> {
  const connection = await openDuckDb({ memory: '192MB', threads: 1, temporaryFolder: request.temporaryFolder });
  try {
    const result = await connection.stream(statementOf(request));
    let interactions: FileInteraction[] = [];
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      if (interactions.length > 0) await sendAndWait({ interactions, isLast: false });
      const [source, target, type, metadata] = [0, 1, 2, 4].map((column) => textColumn(chunk, column));
      const time = numberColumn(chunk, 3);
      interactions = Array.from({ length: chunk.rowCount }, (_, row) => {
        const { weight, rated } = statedWeight(metadata!(row));
        return [source!(row) ?? '', target!(row) ?? '', type!(row), time.getItem(row), weight, rated];
      });
    }
    await send({ interactions, isLast: true } satisfies InteractionPage);
  } finally {
    connection.closeSync();
  }
}

function statementOf({ path, types, from, bySource }: ReadRequest): string {
  const conditions = [
    ...(types === null ? [] : [`coalesce("type", '') IN (${types.map((type) => `'${type.replaceAll("'", "''")}'`).join(', ')})`]),
    ...(from === null ? [] : [`"timestamp" >= ${Math.floor(from)}`]),
  ];
  return `SELECT encode(source_id), encode(target_id), encode("type"), CAST("timestamp" AS DOUBLE), encode(CASE WHEN ${mayStateWeight} THEN metadata END) FROM ${parquetTable([path])}
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ${bySource ? 'ORDER BY source_id, "timestamp" DESC NULLS LAST, row DESC' : ''}`;
}

async function sendAndWait(page: InteractionPage): Promise<void> {
  const asked = new Promise<void>((resolve) => { proceed = resolve; });
  await send(page);
  await asked;
}
