import { describe, expect, it } from 'vitest';
import { refuseEncoders } from './refuseEncoders.ts';

const without = { version: '7.1', canEncode: async () => false };
const size = { width: 1280, height: 720 };

describe('an output that cannot be encoded here', () => {
  it('is refused with the ways out, before anything is decoded', async () => {
    await expect(refuseEncoders(without, new Set(['mp4', 'av1']), [size])).rejects.toMatchObject({
      code: 'encoder-missing', detail: expect.stringMatching(/^FFmpeg 7\.1 .*no encoder for AV1\. Remove "av1".*libsvtav1.*FFMPEG_PATH=none/) as string,
    });
    await expect(refuseEncoders({ ...without, canEncode: async () => true }, new Set(['av1']), [size, { width: 112, height: 62 }])).rejects.toMatchObject({
      code: 'encoder-missing', detail: expect.stringContaining('112 × 62 pixels') as string,
    });
  });

  it('hinders no run that does not ask for it', async () => {
    await refuseEncoders(without, new Set(['mp4', 'webm', 'hls']), [size]);
    await refuseEncoders({ ...without, canEncode: async () => true }, new Set(['av1']), [size]);
  });
});
