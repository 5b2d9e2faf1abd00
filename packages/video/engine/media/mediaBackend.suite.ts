import { afterAll, beforeAll, describe } from 'vitest';
import type { MediaBackend, MediaLimits } from './mediaBackend.ts';
import { describeEncoding } from './suite/encodingSuite.ts';
import { describeFaults } from './suite/faultSuite.ts';
import { openUnderTest, type MediaUnderTest } from './suite/mediaUnderTest.ts';
import { describeReading } from './suite/readingSuite.ts';
import { describeSound } from './suite/soundSuite.ts';
import { describeTogether } from './suite/togetherSuite.ts';

/** The promises of MediaBackend, the same for each implementation. Fixtures are made with the libraries from npm. */
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
    describeTogether(get);
    describeEncoding(get);
    describeFaults(get);
  });
}
