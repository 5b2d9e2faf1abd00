import { measureRss } from '../../bench/harness/measureRss.ts';
import { expectStatus, type BatchRecord } from '../../bench/harness/vouchClient.ts';
import { expectEqual, expectRefused, expectTrue, uploadMemoryLimit, withVouch, type HeavyTest } from './heavyTest.ts';
import { interactionRows } from './largeFiles.ts';

/** Default of VOUCH_UPLOAD_MAX_ROWS. */
const limit = 10_000_000;

export const tooManyRows: HeavyTest = {
  name: 'tooManyRows',
  guarantee: 'a file of 10,000,000 rows is stored whole, one row more is refused as too large, both in bounded memory',
  skip: async () => null,
  run: (print) =>
    withVouch(async (running) => {
      const upload = (rows: number) => running.client.upload([{ name: 'rows.csv', content: interactionRows(rows) }], ['rows']);
      const { result, beyondIdleBytes } = await measureRss(running.server.processId, () => upload(limit));
      const [batch] = expectStatus(result, 201) as BatchRecord[];
      print(`${batch?.interaction_count} rows stored, peak ${Math.round(beyondIdleBytes / 2 ** 20)} MB beyond idle`);
      expectEqual('rows stored', batch?.interaction_count, limit);
      expectTrue(`memory beyond idle is ${beyondIdleBytes}, the limit ${uploadMemoryLimit}`, beyondIdleBytes <= uploadMemoryLimit);
      await expectRefused(running, () => upload(limit + 1), { status: 413, code: 'too-large' }, print);
    }),
};
