import { ChildFailed } from '@vouch/platform/process/childEnd';
import { expect, it } from 'vitest';
import { mediaFault } from './mediaFault.ts';

const faultAfter = (signal: string): unknown =>
  mediaFault(new ChildFailed('ffmpeg', { kind: 'signal', signal }, ''), { path: '/data/film.mp4', failing: 'cannot be decoded', code: 'damaged-media', signal: new AbortController().signal });

it('a decoder that somebody ended is no fault of the file, without which a caller could continue', () => {
  expect(faultAfter('SIGKILL')).toBeInstanceOf(ChildFailed);
});

it('a decoder that crashed is a fault of the file', () => {
  expect(faultAfter('SIGSEGV')).toMatchObject({ code: 'decoder-failed', status: 422 });
});
