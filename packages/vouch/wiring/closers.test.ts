import { expect, it } from 'vitest';
import { Closers } from './closers.ts';

it('closes in reverse order, one after the other, and each part once', async () => {
  const heard: string[] = [];
  const closers = new Closers();
  for (const part of ['database', 'keys', 'server']) {
    closers.add(async () => {
      heard.push(`begin ${part}`);
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(`end ${part}`);
    });
  }
  await closers.close();
  await closers.close();
  expect(heard).toEqual(['begin server', 'end server', 'begin keys', 'end keys', 'begin database', 'end database']);
});
