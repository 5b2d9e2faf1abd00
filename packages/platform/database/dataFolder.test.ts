import { expect, it } from 'vitest';
import { folderFault } from './dataFolder.ts';

const sentence = (code: string): string => folderFault('/srv/vouch', Object.assign(new Error(code), { code })).message;

it('a data folder on a full disk asks for space, and one of somebody else for the right to write', () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    expect(sentence(code)).toBe(`The data folder /srv/vouch cannot be written (${code}): free space on its disk, or choose another folder with VOUCH_DATA.`);
  }
  expect(sentence('EACCES')).toContain('give this user write access');
  for (const code of ['EEXIST', 'ENOTDIR']) expect(sentence(code)).toMatch(/a file exists at this path or at the path of a parent folder\. Choose another folder/);
});
