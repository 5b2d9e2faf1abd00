import { afterAll, beforeAll, describe } from 'vitest';
import type { MediaBackend, MediaLimits } from '../../media/mediaBackend.ts';
import { describeEncoding } from './encodingSuite.ts';
import { describeFaults } from './faultSuite.ts';
import { openUnderTest, type MediaUnderTest } from './mediaUnderTest.ts';
import { describeReading } from './readingSuite.ts';
import { describeSound } from './soundSuite.ts';
import { describeSubtitles } from './subtitleSuite.ts';
import { describeAllStreams } from './allStreamsSuite.ts';

/** The test suite of MediaBackend, shared by all implementations. The fixtures are made with the libraries from npm. */
export function describeMediaBackend(title: string, open: (limits: MediaLimits) => Promise<MediaBackend>): void {
  describe(title, () => {
    let subject: MediaUnderTest | undefined;
    beforeAll(async () => {
      subject = await openUnderTest(open);
    });
    afterAll(() => subject?.close());
    const get = (): MediaUnderTest => {
      if (subject === undefined) throw new Error('the backend is not open');
      return subject;
    };
    describeReading(get);
    describeSound(get);
    describeSubtitles(get);
    describeAllStreams(get);
    describeEncoding(get);
    describeFaults(get);
  });
}
