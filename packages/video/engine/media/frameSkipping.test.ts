import { describe, expect, it } from 'vitest';
import { skipOptions } from './frameSkipping.ts';

describe('what the decoder skips', () => {
  it('is the loop filter of frames that no other frame refers to, without skipping a frame', () => {
    expect(skipOptions('h264', 'loop-filter')).toEqual({ skip_loop_filter: 'noref' });
    expect(skipOptions('h264', 'none')).toEqual({});
  });

  it('is no B-frame of HEVC that others refer to', () => {
    expect(skipOptions('hevc', 'bidirectional')).toEqual({ skip_frame: 'noref', skip_loop_filter: 'all' });
    expect(skipOptions('h264', 'bidirectional')).toEqual({ skip_frame: 'bidir', skip_loop_filter: 'all' });
  });
});
