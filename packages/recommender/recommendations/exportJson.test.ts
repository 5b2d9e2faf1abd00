import { expect, test } from 'vitest';
import { Recommender } from '../engine/query/recommender.ts';
import { randomModel } from '../testing/randomModel.ts';
import { withModel } from '../testing/withModel.ts';
import { exportAsPlainJson, relatedAsCsv, relatedAsPlainJson } from './writeAnswer.ts';

const options = { types: null, limit: 100, threshold: 0, offset: 0, steering: null };

test('exports of a model as JSON write the same bytes one after the other, at the same time, and after one that was given up', async () => {
  const ids = Array.from({ length: 900 }, (_, at) => `${at % 7 === 0 ? '"ü\n\\' : ''}id-${at}`.padEnd(at % 70, 'x'));
  await withModel(randomModel({ ids, types: 3, itemShare: 0.8, attributes: 10, rank: 4, seed: 5 }), (reader) => {
    const recommender = new Recommender(reader);
    const sources = [...ids.keys(), 'strange "ü\u0001'];
    const expected = Buffer.concat([...relatedAsPlainJson(recommender, sources, options)]).toString();
    const given = exportAsPlainJson(recommender, sources, options);
    given.next();
    given.next();
    given.return(undefined);
    const running = [exportAsPlainJson(recommender, sources, options), exportAsPlainJson(recommender, sources, options)];
    const written = running.map(() => '');
    for (let isRunning = true; isRunning;) {
      isRunning = false;
      for (const [at, pieces] of running.entries()) {
        const { value, done } = pieces.next();
        if (done === true) continue;
        isRunning = true;
        written[at] += value.toString();
      }
    }
    expect(written).toEqual([expected, expected]);
    // A list that fails leaves its rows behind.
    const failing = (function* (): Generator<number> {
      yield* [1, 2, 3];
      throw new Error('the model was closed');
    })();
    expect(() => [...exportAsPlainJson(recommender, failing, options)]).toThrow('the model was closed');
    for (let round = 0; round < 2; round += 1) {
      expect(Buffer.concat([...exportAsPlainJson(recommender, sources, options)]).toString()).toBe(expected);
    }
  });
});

test.each([
  ['JSON', (recommender: Recommender, sources: number[], pendingBytes?: () => number) => exportAsPlainJson(recommender, sources, options, pendingBytes)],
  ['CSV', (recommender: Recommender, sources: number[], pendingBytes?: () => number) => relatedAsCsv(recommender, sources, options, { safe: false }, pendingBytes)],
])('exports as %s write into the memory of pieces that are sent, and never into the memory of others', async (_, write) => {
  const ids = Array.from({ length: 900 }, (__, at) => `id-${at}`.padEnd(600, 'x'));
  await withModel(randomModel({ ids, types: 3, itemShare: 0.8, attributes: 10, rank: 4, seed: 5 }), (reader) => {
    const recommender = new Recommender(reader);
    const sources = [...ids.keys()];
    const expected = Buffer.concat([...write(recommender, sources)]);
    for (const pendingPieces of [0, 1, 5]) {
      const buffers = new Set<ArrayBufferLike>();
      const sent: Buffer[] = [];
      const waiting: Buffer[] = [];
      for (const piece of write(recommender, sources, () => waiting.reduce((bytes, { length }) => bytes + length, 0))) {
        buffers.add(piece.buffer);
        waiting.push(piece);
        // A slow client: the bytes are read long after they were written.
        if (waiting.length > pendingPieces) sent.push(Buffer.from(waiting.shift() as Buffer));
      }
      expect(Buffer.concat([...sent, ...waiting]).equals(expected)).toBe(true);
      expect(sent.length).toBeGreaterThan(50);
      // The memory grows with the largest piece, a few times. More than four pieces are not kept.
      if (pendingPieces < 3) expect(buffers.size).toBeLessThan(sent.length / 4);
    }
  });
});
