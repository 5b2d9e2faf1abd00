import { runHostileDownloads } from '../../packages/video/testing/downloads/runHostileDownloads.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const downloads = 2_000;

export const hostileDownloads: HeavyTest = {
  name: 'hostile-downloads',
  guarantee: `${downloads} downloads from servers that close, reset, lie, send without end and wait, by readers that pause and break off, never end the process, end whole or with a sentence, and leave nothing open`,
  skip: () => Promise.resolve(null),
  async run(print) {
    const { endings, deaths, wrong, left, open } = await runHostileDownloads(downloads);
    print(Object.entries(endings).map(([ending, count]) => `${count} ${ending}`).join(', '));
    expectEqual('deaths of the process', deaths, []);
    expectEqual('downloads that ended as none may', wrong, []);
    expectEqual('left open', left, [{ descriptors: 0, sockets: 0, listeners: 0, files: 0, warnings: 0 }]);
    expectEqual('connections left at the server', open, 0);
  },
};
