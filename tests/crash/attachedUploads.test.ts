import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { expectStatus } from '../../bench/harness/vouchClient.ts';
import { clientOf, listScratch, makePlace, removePlace, startServe, stopService, uploadCatalogue, waitUntil, withoutChoice } from './harness/place.ts';
import { killAll, processTree, untilGone, type ProcessMark } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

/** Enough that reading takes some tenths of a second. */
const fillingRows = 300_000;

interface Lists {
  recommendations: { target_id: string; score: number; reasons: unknown[] }[];
}

/** All tests share one server and folder; each uploads a file of its own, and kills processes while the file is attached to histories. */
describe.skipIf(!exhaustive || process.platform !== 'linux')('an uploaded file that is being attached to histories, under kill -9 (needs /proc)', () => {
  let place: VouchPlace;
  let service: Service;
  let items: string[] = [];

  beforeAll(async () => {
    place = await makePlace();
    service = await startServe(place);
    await uploadCatalogue(clientOf(place));
    expect(await clientOf(place).train('shop', withoutChoice)).toMatchObject({ status: 'completed' });
    items = (await ask({ max_recommendations: 50 })).recommendations.map(({ target_id: id }) => id);
    expect(items.length).toBeGreaterThan(20);
  });
  afterAll(async () => {
    expect(await stopService(service)).toBe(0);
    await removePlace(place);
  });

  async function ask(question: object): Promise<Lists> {
    return expectStatus(await clientOf(place).post('/v1/recommender/recommend', { model_id: 'shop', explain: true, max_recommendations: 20, ...question }), 200) as Lists;
  }

  /** A visitor's rows at the end of a file whose other rows are of users that no test asks for. */
  function* fileOf(visitor: string): Generator<string> {
    yield 'type,source_id,target_id,timestamp,metadata\n';
    for (let row = 0; row < fillingRows; row += 1) yield `view,filling ${row % 5_000},${items[row % items.length]},,\n`;
    for (const item of items.slice(0, 5)) yield `view,${visitor},${item},,\n`;
  }

  const list = async (visitor: string): Promise<Lists | null> => {
    const { status, body } = await clientOf(place).post('/v1/recommender/recommend', { model_id: 'shop', explain: true, max_recommendations: 20, entity_id: visitor }).catch(() => ({ status: 0, body: null }));
    return status === 200 ? body as Lists : null;
  };

  /** Uploads the file of a visitor and kills processes while the server reads the file. The upload may be without an answer. */
  async function killWhileAttaching(visitor: string, victims: (tree: ProcessMark[]) => ProcessMark[]): Promise<ProcessMark[]> {
    const uploading = clientOf(place).upload([{ name: 'rows.csv', content: fileOf(visitor) }], [visitor]).catch(() => null);
    await waitUntil('the file is being attached', async () => processTree(service.processId).some(isReader));
    const tree = processTree(service.processId);
    expect(await list(visitor)).toBeNull();
    killAll(victims(tree));
    await uploading;
    return tree;
  }

  /**
   * The list of a visitor must be the list of a session with all five items, and the file must be one batch. A row that counts twice changes no list: of several interactions with an
   * item, the one with the largest weight counts.
   */
  async function expectAttached(visitor: string): Promise<void> {
    await waitUntil('the file counts', async () => await list(visitor) !== null);
    const session = await ask({ history: items.slice(0, 5).map((id) => ({ id, type: 'view' })) });
    const ranked = ({ recommendations }: Lists) => recommendations.map(({ target_id: id, score }) => [id, score]);
    expect(ranked(await list(visitor) as Lists)).toEqual(ranked(session));
    expect(await clientOf(place).batches(visitor)).toHaveLength(1);
    await waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0);
  }

  for (const [what, victims] of [
    ['everything', (tree: ProcessMark[]) => tree],
    ['the server alone', (tree: ProcessMark[]) => tree.slice(0, 1)],
  ] as const) {
    it(`counts completely after a restart when ${what} dies`, async () => {
      const tree = await killWhileAttaching(what, victims);
      await service.ended;
      service = await startServe(place);
      await untilGone(tree);
      await expectAttached(what);
    });
  }

  it('counts completely in the same server when the process that reads it dies', async () => {
    await killWhileAttaching('the reader', (tree) => tree.filter(isReader));
    await expectAttached('the reader');
  });
});

function isReader({ command }: ProcessMark): boolean {
  return command.startsWith(process.execPath) && command.includes('readInteractions.child');
}
