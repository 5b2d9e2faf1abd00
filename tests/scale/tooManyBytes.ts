import { expectRefused, withVouch, type HeavyTest } from './heavyTest.ts';
import { interactionBytes } from './largeFiles.ts';

/** 1 GiB, the default of VOUCH_UPLOAD_MAX_BYTES. */
const limit = 1_073_741_824;

export const tooManyBytes: HeavyTest = {
  name: 'tooManyBytes',
  guarantee: 'a file of 1 GB and 1 byte is refused as too large in bounded memory, and nothing is stored',
  skip: async () => null,
  run: (print) =>
    withVouch(async (running) => {
      const upload = () => running.client.upload([{ name: 'large.csv', content: interactionBytes(limit + 1) }], ['large']);
      await expectRefused(running, upload, { status: 413, code: 'too-large' }, print);
    }),
};
