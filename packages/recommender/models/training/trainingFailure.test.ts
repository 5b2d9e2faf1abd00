import { expect, test } from 'vitest';
import { Problem } from '@vouch/platform/errors/problem';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import { Workspace } from '../../engine/kernels/workspace.ts';
import { trainingFailure } from './trainingFailure.ts';

const exited = (stderr: string): ChildFailed => new ChildFailed('train.child', { kind: 'exited', code: 1 }, stderr);

function errorOf(work: () => unknown): string {
  try {
    return String(work());
  } catch (error) {
    return String(error);
  }
}

test.each([
  ['a thread without heap', 'ThreadEnded: a thread of the training ended: ERR_WORKER_OUT_OF_MEMORY: Worker terminated due to reaching memory limit', /more than its 512 MB.*VOUCH_TRAIN_MEMORY/],
  ['a machine without memory', 'RangeError: Array buffer allocation failed\n    at new Float64Array', /more than its 512 MB/],
  ['kernels without memory', "RangeError: the kernels' memory cannot grow by 5000000 bytes, it has 65536", /more than its 512 MB/],
  ['kernels beyond 4 GB', errorOf(() => new Workspace().floats(2 ** 30)), /more than the 4 GB .* whatever VOUCH_TRAIN_MEMORY is/],
  ['a full disk', 'Error: ENOSPC: no space left on device, write', /disk became full/],
  ['anything else', 'TypeError: x is not a function', /ended with an error: train.child ended with code 1: TypeError: x is not a function\. Start the training again; .*support-bundle/],
])('%s ends a training with a sentence and no second attempt', (_, stderr, sentence) => {
  const failure = trainingFailure(exited(stderr), 512);
  expect(failure).toBeInstanceOf(Problem);
  expect((failure as Problem).message).toMatch(sentence);
});

test('a process that was killed from outside may be tried again', () => {
  const killed = new ChildFailed('train.child', { kind: 'signal', signal: 'SIGKILL' }, '');
  expect(trainingFailure(killed, 512)).toBe(killed);
});
