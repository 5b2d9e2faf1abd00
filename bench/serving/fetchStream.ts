import { get } from 'node:http';

export interface StreamReport {
  bytes: number;
  /** Number of lines after the header. */
  rows: number;
  firstByteMs: number;
  seconds: number;
}

/**
 * Reads a response to its end without keeping it.
 * @throws Error if the status is not 200 or the response is cut off
 */
export async function fetchStream(url: string, key: string, onPiece?: (piece: Buffer) => void): Promise<StreamReport> {
  const started = performance.now();
  return await new Promise((resolve, reject) => {
    const request = get(url, { headers: { apikey: key } }, (answer) => {
      let bytes = 0;
      let lines = 0;
      let firstByteMs = 0;
      answer.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - started;
        bytes += piece.length;
        lines += countLines(piece);
        onPiece?.(piece);
      });
      answer.on('error', reject);
      answer.on('close', () => {
        if (!answer.complete) reject(new Error(`the answer of ${url} was cut off after ${bytes} bytes`));
        else if (answer.statusCode !== 200) reject(new Error(`${url} was answered with ${answer.statusCode}`));
        else resolve({ bytes, rows: lines - 1, firstByteMs, seconds: (performance.now() - started) / 1000 });
      });
    });
    request.on('error', reject);
  });
}

function countLines(piece: Buffer): number {
  let lines = 0;
  for (let place = piece.indexOf(10); place !== -1; place = piece.indexOf(10, place + 1)) lines++;
  return lines;
}

/**
 * Returns every entity that the model has recommendations for, from the stream of all recommendations.
 * @param sourceType restricts the entities to one type
 * @returns distinct source ids in the order of the stream
 */
export async function fetchSourceIds(url: string, key: string, modelId: string, sourceType?: string): Promise<string[]> {
  const ids = new Set<string>();
  let rest = '';
  const sources = sourceType === undefined ? '' : `&source_type=${encodeURIComponent(sourceType)}`;
  await fetchStream(`${url}/v1/recommender/related_items?model_id=${encodeURIComponent(modelId)}&max_recommendations=1${sources}`, key, (piece) => {
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      // Generated ids need no quotes; for other ids, the quotes are removed here.
      const match = /^(?:"((?:[^"]|"")*)"|([^,]*)),/.exec(line);
      const id = Buffer.from(match?.[1]?.replaceAll('""', '"') ?? match?.[2] ?? '', 'latin1').toString();
      if (id !== '' && id !== 'source_id') ids.add(id);
    }
  });
  return [...ids];
}
