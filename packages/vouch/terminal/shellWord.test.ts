import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from './shellWord.ts';

it('a path without special characters stays as it is', () => {
  expect(shellWord('/srv/vouch-1/data/verifier.yaml')).toBe('/srv/vouch-1/data/verifier.yaml');
});

it.each(['', '/home/a b/verifier.yaml', "/home/Büro & 'Ordner'/$HOME/`x`/\\/*"])('a shell reads %j back as one word', (text) => {
  expect(execFileSync('/bin/sh', ['-c', `printf '%s|' ${shellWord(text)}`], { encoding: 'utf8' })).toBe(`${text}|`);
});
