import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { collectBody } from './collectBody.ts';

const tooLong = (): Error => new Error('too long');

it('returns a body up to the limit, whatever its pieces', async () => {
  const body = Readable.from([Buffer.from('ab'), Buffer.from('c')]);
  expect((await collectBody(body, 3, tooLong)).toString()).toBe('abc');
  expect(body.destroyed).toBe(true);
});

it('stops a body that exceeds the limit and frees its connection', async () => {
  let sent = 0;
  const endless = Readable.from((function* () {
    for (;;) {
      sent += 1;
      yield Buffer.alloc(2);
    }
  })());
  await expect(collectBody(endless, 5, tooLong)).rejects.toThrow('too long');
  expect(endless.destroyed).toBe(true);
  expect(sent).toBeLessThan(64);
});

it('fails like the body', async () => {
  const broken = new Readable({ read() { this.destroy(new Error('cut off')); } });
  await expect(collectBody(broken, 5, tooLong)).rejects.toThrow('cut off');
});
