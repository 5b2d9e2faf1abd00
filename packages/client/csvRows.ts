/** One row of a list of recommendations in CSV. */
export interface RecommendationRow {
  /** Empty for trending items. */
  source_id: string;
  target_id: string;
  /** From 1. */
  rank: number;
  /** From 0 to 1, six decimals. */
  score: number;
}

/**
 * Reads the rows of a CSV answer while it arrives, in constant memory.
 * @throws TypeError of `fetch` if the answer ends before its end
 */
export async function* readRows(body: ReadableStream<Uint8Array>): AsyncGenerator<RecommendationRow> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isHeader = true;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const { records, remainder } = splitRecords(rest);
      rest = remainder;
      for (const record of records) {
        if (!isHeader) yield rowOf(record);
        isHeader = false;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

/** Splits a text at line ends outside of quotes (RFC 4180). `remainder` begins after the last complete record. */
function splitRecords(text: string): { records: string[]; remainder: string } {
  const records: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') isQuoted = !isQuoted;
    else if (letter === '\n' && !isQuoted) {
      records.push(text.slice(begin, at).replace(/\r$/, ''));
      begin = at + 1;
    }
  }
  return { records, remainder: text.slice(begin) };
}

function rowOf(record: string): RecommendationRow {
  const [source_id = '', target_id = '', rank, score] = [...`${record},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*)),/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
  return { source_id, target_id, rank: Number(rank), score: Number(score) };
}
