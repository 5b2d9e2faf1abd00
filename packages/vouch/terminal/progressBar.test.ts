import { expect, test } from 'vitest';
import { describeProgress, openProgressBar } from './progressBar.ts';

function fakeTerminal(isTTY: boolean): { isTTY: boolean; text: string; write(text: string): void } {
  return { isTTY, text: '', write(text) { this.text += text; } };
}

test('a bar says the stage, the share and the time that is left', () => {
  expect(describeProgress('analyse', 0.25, 10)).toBe(`analyse   ${'█'.repeat(6)}${'░'.repeat(18)}  25 %  30 s left`);
  expect(describeProgress('render', 1, 10)).toBe(`render    ${'█'.repeat(24)} 100 %`);
});

test('it is drawn ten times a second at most, at each new stage, and taken away at the end', () => {
  let now = 0;
  const terminal = fakeTerminal(true);
  const bar = openProgressBar(terminal, { now: () => now });
  for (let step = 0; step < 100; step += 1) {
    now = step * 10;
    bar.show('analyse', step / 100);
  }
  expect(terminal.text.split('\r').length - 1).toBe(10);
  bar.show('render', 0);
  expect(terminal.text).toContain('render');
  bar.clear();
  expect(terminal.text.endsWith('\r\u001b[K')).toBe(true);
});

test('where nobody watches, nothing is written', () => {
  const file = fakeTerminal(false);
  const bar = openProgressBar(file, { now: () => 0 });
  bar.show('analyse', 0.5);
  bar.clear();
  expect(file.text).toBe('');
});
