import { describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { behaviours } from '../testing/downloads/hostileServer.ts';
import { runHostileDownloads } from '../testing/downloads/runHostileDownloads.ts';

/** Covers both host names, a slow reader and aborts once; `npm run test:heavy` makes 2,000 downloads. */
const rounds = 4;

describe('downloads from servers that close, reset, lie and wait, by readers that pause and break off', () => {
  exhaustiveTest('end with all bytes or a sentence, leave nothing open, and never end the process', async () => {
    const { deaths, wrong, left, endings, open } = await runHostileDownloads(behaviours.length * rounds);
    expect(deaths).toEqual([]);
    expect(wrong).toEqual([]);
    expect(left).toEqual([{ descriptors: 0, sockets: 0, listeners: 0, files: 0, warnings: 0 }]);
    expect(open).toBe(0);
    // Each kind of outcome occurred.
    expect(Object.keys(endings)).toEqual(expect.arrayContaining(['whole', 'aborted', 'media-incomplete', 'media-too-large', 'media-too-slow', 'media-redirects', 'media-refused']));
  });
});
