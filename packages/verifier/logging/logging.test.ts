import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../testing/runVerifier.ts';
import { openLog } from './openLog.ts';

it('is for people, or for programs, or in a file', () => {
  let text = '';
  const errors = { write: (part: string) => void (text += part) };
  openLog({ format: 'human', level: 'info', path: null }, errors).info({ attestation: '0x12', verdict: 0, note: 'two words' }, 'The report is on the chain.');
  expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}The report is on the chain\. {2}attestation=0x12 verdict=0 note="two words"\n$/);
  text = '';
  openLog({ format: 'json', level: 'warn', path: null }, errors).info('not this');
  openLog({ format: 'json', level: 'warn', path: null }, errors).warn({ privateKey: 'secret' }, 'this');
  expect(JSON.parse(text)).toMatchObject({ level: 'warn', msg: 'this', privateKey: '[secret]' });
  const path = join(testFolder(), 'node.log');
  openLog({ format: 'human', level: 'info', path }, errors).info('in the file');
  expect(readFileSync(path, 'utf8')).toContain('in the file');
});

it('stays below 20 MB, however much is logged, and goes on after a restart', () => {
  const folder = testFolder();
  const path = join(folder, 'node.log');
  const settings = { format: 'json', level: 'info', path } as const;
  const long = 'x'.repeat(50_000);
  for (let start = 0; start < 3; start += 1) {
    const log = openLog(settings, { write: () => {} });
    for (let line = 0; line < 200; line += 1) log.info(`${start} ${line} ${long}`);
  }
  const files = readdirSync(folder).toSorted();
  expect(files).toEqual(['node.log', 'node.log.1', 'node.log.2', 'node.log.3', 'node.log.4']);
  expect(files.reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0)).toBeLessThan(20_000_001);
  expect(readFileSync(path, 'utf8')).toContain('"2 199 ');
});

it('says at the start that a file cannot be written', () => {
  expect(() => openLog({ format: 'json', level: 'info', path: '/no/such/folder/node.log' }, { write: () => {} })).toThrow(/log\.path: the log cannot be written to \/no\/such\/folder\/node\.log \(ENOENT\)/);
});
