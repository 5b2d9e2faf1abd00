import { onMessage, send } from '@vouch/platform/process/nodeChild';
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
      interactions = chunk.getRows().map(([source, target, type, time, metadata]) => {
        const { weight, rated } = statedWeight(textOf(metadata));
        return [String(source), String(target), textOf(type), typeof time === 'number' ? time : null, weight, rated];
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
  return `SELECT source_id, target_id, "type", CAST("timestamp" AS DOUBLE), CASE WHEN ${mayStateWeight} THEN metadata END FROM ${parquetTable([path])}
    ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ${bySource ? 'ORDER BY source_id, "timestamp" DESC NULLS LAST, row DESC' : ''}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

async function sendAndWait(page: InteractionPage): Promise<void> {
  const asked = new Promise<void>((resolve) => { proceed = resolve; });
  await send(page);
  await asked;
}
