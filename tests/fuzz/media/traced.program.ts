import { readFileSync, writeFileSync } from 'node:fs';
import type { MutatedFile } from './mutatedFiles.ts';
import { summarizeAll } from './throughEngine.ts';

// The program that strace watches: summarizes the files of a list and writes what became of them.
const [listFile = '', backend = '', scratch = '', endsFile = ''] = process.argv.slice(2);
const files = JSON.parse(readFileSync(listFile, 'utf8')) as MutatedFile[];
void summarizeAll(files, backend === 'none' ? 'none' : null, scratch).then((ends) => writeFileSync(endsFile, JSON.stringify(ends)));
