import { colourNumber, unspecifiedColour } from './colour.ts';
import { describe, expect, it } from 'vitest';
import { clockwiseTurn, describeMedia, type FileFacts, type StreamFacts } from './describeMedia.ts';

const video: StreamFacts = {
  index: 0, kind: 'video', codec: 'h264', attachedPicture: false, isDefault: false, duration: 10, language: null, width: 1920, height: 1080, sampleAspect: 1,
  rotation: 0, pixelFormat: 'yuv420p', colour: unspecifiedColour, averageRate: { numerator: 25, denominator: 1 },
  baseRate: { numerator: 25, denominator: 1 }, sampleRate: 0, channels: 0, delay: 2, simpleProfile: false, timecode: null,
};
const sound: StreamFacts = { ...video, index: 1, kind: 'audio', codec: 'aac', width: 0, height: 0, sampleRate: 48_000, channels: 2 };
const file = (...streams: StreamFacts[]): FileFacts => ({ path: '/secret/folder/film.mp4', container: 'mp4', bytes: 5, start: 0, duration: 11, streams });
const describeFile = (...streams: StreamFacts[]): ReturnType<typeof describeMedia> =>
  describeMedia(file(...streams), { pixels: 36_000_000, decodes: (codec) => codec !== 'strange' });

describe('facts of a file', () => {
  it('are those of the first stream that is a video', () => {
    const info = describeFile({ ...video, index: 0, attachedPicture: true, codec: 'mjpeg' }, sound, { ...video, index: 2 });
    expect(info.video.stream).toBe(2);
    expect(info.audio).toEqual({ stream: 1, codec: 'aac', sampleRate: 48_000, channels: 2 });
    expect(info.duration).toBe(10);
    expect(describeFile({ ...video, duration: null }).duration).toBe(11);
  });

  it('tell that frames are in order if the decoder does not run ahead, and of MPEG-4 in its Simple profile alone', () => {
    const told = [{ delay: 0 }, { delay: 1 }, { codec: 'mpeg4', delay: 0 }, { codec: 'mpeg4', delay: 0, simpleProfile: true }, { codec: 'mpeg4', delay: 1, simpleProfile: true }]
      .map((facts) => describeFile({ ...video, ...facts }).video.inOrder ?? false);
    expect(told).toEqual([true, false, false, true, false]);
  });

  it('contain the timecode of the video if it is one', () => {
    const told = ['10:00:20:05', '10:00:20;05', '10:00:20.05', '', '<b>', '1:2:3:4'].map((timecode) => describeFile({ ...video, timecode }).video.timecode);
    expect(told).toEqual(['10:00:20:05', '10:00:20;05', '10:00:20;05', undefined, undefined, undefined]);
    expect(describeFile(video).video).not.toHaveProperty('timecode');
  });

  it('show the picture as it is seen: square pixels, turned', () => {
    expect(describeFile({ ...video, width: 720, height: 576, sampleAspect: 16 / 15 }).video).toMatchObject({ width: 768, height: 576 });
    expect(describeFile({ ...video, rotation: 90 }).video).toMatchObject({ width: 1080, height: 1920, rotation: 90 });
    expect(describeFile({ ...video, sampleAspect: 1000 }).video.width).toBe(1920);
    expect([-90, 90, 180, -180, 0, -270, Number.NaN].map(clockwiseTurn)).toEqual([90, 270, 180, 180, 0, 270, 0]);
  });

  it('tell depth, range and whether the rate varies', () => {
    expect(['yuv420p', 'yuv420p10le', 'p010le', 'yuv444p12be', 'gray16le', 'rgb48le', 'rgb565le', 'unknown']
      .map((pixelFormat) => describeFile({ ...video, pixelFormat }).video.bitDepth)).toEqual([8, 10, 10, 12, 16, 16, 8, 8]);
    expect(['smpte2084', 'arib-std-b67', 'bt709', 'unknown'].map((name) =>
      describeFile({ ...video, colour: { ...unspecifiedColour, transfer: colourNumber('transfer', name) } }).video.highDynamicRange)).toEqual([true, true, false, false]);
    const varies = (numerator: number): boolean => describeFile({ ...video, baseRate: { numerator, denominator: 1 } }).video.variableFrameRate;
    expect([25, 30, 50].map(varies)).toEqual([false, true, false]);
  });

  it('name the sound that players play: the default track, or the first', () => {
    const track = (index: number, more: Partial<StreamFacts> = {}): StreamFacts => ({ ...sound, index, ...more });
    expect(describeFile(video, track(1), track(2, { isDefault: true })).audio?.stream).toBe(2);
    expect(describeFile(video, track(1, { isDefault: true }), track(2, { isDefault: true })).audio?.stream).toBe(1);
    expect(describeFile(video, track(1), track(2)).audio?.stream).toBe(1);
    expect(describeFile(video, track(1), track(2, { isDefault: true, codec: 'strange' })).audio?.stream).toBe(1);
  });

  it('list text subtitles', () => {
    const subtitle: StreamFacts = { ...video, kind: 'subtitle', index: 3, codec: 'subrip', language: 'eng' };
    expect(describeFile(video, subtitle, { ...subtitle, codec: 'hdmv_pgs_subtitle' }).subtitles).toEqual([{ stream: 3, codec: 'subrip', language: 'eng' }]);
  });
});

describe('what cannot be summarized', () => {
  it.each([
    ['no-video-stream', 'film.mp4 has no video stream', [sound]],
    ['no-video-stream', 'film.mp4 has a cover image, but no video stream', [sound, { ...video, attachedPicture: true }]],
    ['unsupported-codec', 'codec strange', [{ ...video, codec: 'strange' }]],
    ['unsupported-codec', 'the codec of the video', [{ ...video, codec: null }]],
    ['picture-too-large', '16384 × 16384', [{ ...video, width: 16_384, height: 16_384 }]],
    ['damaged-media', 'the frame size is unknown', [{ ...video, width: 0, height: 0 }]],
  ])('%s: %s', (code, sentence, streams) => {
    expect(() => describeFile(...streams)).toThrow(expect.objectContaining({ code, detail: expect.stringContaining(sentence) }));
    expect(() => describeFile(...streams)).toThrow(expect.objectContaining({ detail: expect.not.stringContaining('/') }));
  });

  it('sound that cannot be decoded leaves the file silent', () => {
    expect(describeFile(video, { ...sound, codec: 'strange' }).audio).toBeNull();
  });
});
