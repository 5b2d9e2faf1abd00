import { expect, it } from 'vitest';
import { countDamage } from './damage.ts';

it('counts lines that report damage, however they are cut into chunks, and nothing else', () => {
  const text = [
    '[mov,mp4 @ 0x55] stream 0, timescale not set',
    'Error while decoding stream #0:0: Invalid data found when processing input',
    '[h264 @ 0x55] concealing 12 DC, 12 AC, 12 MV errors in P frame',
    'file.mp4: corrupt decoded frame in stream 0',
    '[vist#0:0/h264 @ 0x55] Error submitting packet to decoder: Invalid data found when processing input',
    '[mpegts @ 0x55] Packet corrupt (stream = 0, dts = 1234).',
    '[matroska,webm @ 0x55] 0x00 at pos 99 (0x63) invalid as first byte of an EBML number',
    '',
  ].join('\n');
  for (const step of [1, 7, 10_000]) {
    const damage = countDamage();
    for (let at = 0; at < text.length; at += step) damage.hear(Buffer.from(text.slice(at, at + step)));
    expect(damage.count()).toBe(5);
  }
});

it('leaves out what names another stream', () => {
  const damage = countDamage(1);
  for (const line of [
    'Error while decoding stream #0:1: Invalid data found when processing input', 'film.mp4: corrupt decoded frame in stream 1',
    '[aist#0:1/aac @ 0x55] Error submitting packet to decoder: Invalid data found when processing input', '[mpegts @ 0x55] Packet corrupt (stream = 1, dts = 9).',
  ]) damage.hear(Buffer.from(`${line}\n${line.replace(/([:= ])1/, '$10')}\n`));
  expect(damage.count()).toBe(4);
});

it('a flood without line ends is not kept', () => {
  const damage = countDamage();
  for (let round = 0; round < 1000; round += 1) damage.hear(Buffer.alloc(10_000, 'x'));
  expect(damage.count()).toBe(0);
});
