import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aviOfPictures, blankPng, withMediaElsewhere } from '../../../packages/video/engine/testing/clips/attacks.ts';
import { makeFixture } from '../../../packages/video/engine/testing/clips/makeFixture.ts';
import type { MutatedFile } from './mutatedFiles.ts';

/** Whatever opens a path with this name has followed something that a media file said. */
export const canary = 'lure-of-the-media';

/**
 * Files that tell a decoder to open something else: a neighbour, a system file, an address of this machine.
 * @param first number of the first one
 */
export async function writeAttacks(folder: string, first: number): Promise<MutatedFile[]> {
  const film = await makeFixture({ width: 64, height: 36, seconds: 1, sound: null });
  const content = await readFile(film);
  const stream = await readFile(await makeFixture({ width: 64, height: 36, seconds: 1, sound: null, container: 'ts' }));
  const attacks: [string, string | Buffer][] = [
    ['script', `ffconcat version 1.0\nfile ${canary}.mp4\n`],
    ['local playlist', `#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n${canary}.mp4\n#EXT-X-ENDLIST\n`],
    ['remote playlist', `#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/${canary}.ts\n#EXT-X-ENDLIST\n`],
    ['playlist behind packets', Buffer.concat([stream.subarray(0, 188 * 8), Buffer.from(`#EXTM3U\n#EXTINF:10,\n${canary}.mp4\n#EXT-X-ENDLIST\n`.padEnd(188 * 4))])],
    ['manifest', `<?xml version="1.0"?><MPD><Period><AdaptationSet><Representation><BaseURL>http://127.0.0.1:1/${canary}</BaseURL></Representation></AdaptationSet></Period></MPD>`],
    ['session description', `v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\na=control:${canary}\n`],
    ['media elsewhere', withMediaElsewhere(content, `${canary}.mp4`)],
    ['media elsewhere, from the root', withMediaElsewhere(content, '/etc/passwd')],
    ['media at an address', withMediaElsewhere(content, `http://127.0.0.1:1/${canary}.mp4`)],
    ['large pictures', aviOfPictures([blankPng(4000)], 64)],
  ];
  const files: MutatedFile[] = [];
  for (const [what, text] of attacks) {
    const seed = first + files.length;
    const own = join(folder, String(seed));
    await mkdir(own);
    await copyFile(film, join(own, `${canary}.mp4`));
    await writeFile(join(own, 'source.mp4'), text);
    files.push({ seed, path: join(own, 'source.mp4'), what });
  }
  return files;
}
