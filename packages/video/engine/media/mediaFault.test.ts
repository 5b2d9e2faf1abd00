import { ChildFailed } from '@vouch/platform/process/childEnd';
import { expect, it } from 'vitest';
import { mediaFault } from './mediaFault.ts';

it.each([
  ['SIGKILL', { code: 'decoder-interrupted', status: 503, detail: 'film.mp4: the decoder was ended by SIGKILL from outside.' }],
  ['SIGSEGV', { code: 'decoder-failed', status: 422 }],
])('a decoder that %s ended is a fault of the file only if the decoder crashed', (signal, problem) => {
  const failure = new ChildFailed('ffmpeg', { kind: 'signal', signal }, '/secret/path\n');
  expect(mediaFault(failure, { path: '/data/film.mp4', failing: 'cannot be decoded', code: 'damaged-media', signal: new AbortController().signal })).toMatchObject(problem);
});
