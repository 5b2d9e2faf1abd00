import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sniffContainer } from './sniffContainer.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-sniff-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let written = 0;
/** Inspects Latin-1 text as the beginning of a file with the name of a video. */
function sniff(head: string, bytes = 0): Promise<string> {
  written += 1;
  const path = join(folder, `${written}.mp4`);
  writeFileSync(path, Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(Math.max(0, bytes - head.length))]));
  return sniffContainer(path);
}

const packets = (length: number, before = '', after = ''): string => `${before}G${'\x1f'.repeat(187)}${after}`.repeat(length);

describe('containers are told by their first bytes', () => {
  it.each([
    ['mp4', '\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41'],
    ['mov', '\0\0\0\x14ftypqt  \0\0\x02\0qt  '],
    ['mov', '\0\0\0\x08wide\0\0\x10\0mdat'],
    ['mov', '\0\x20\0\0mdat'],
    ['matroska', '\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska\x42\x87\x81\x04'],
    ['webm', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm\x42\x87\x81\x04'],
    ['mpegts', packets(6)],
    ['mpegts', packets(6, '\0\0\0\0')],
    ['mpegts', packets(6, '', '\xaa'.repeat(16))],
    ['avi', 'RIFF\x10\x20\0\0AVI LIST'],
    ['flv', 'FLV\x01\x05\0\0\0\x09'],
    ['ogg', 'OggS\0\x02'],
    ['asf', '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c'],
    ['mpeg', '\x00\x00\x01\xba\x44\x00'],
    ['gif', 'GIF89a\x10\0\x10\0\xf0'],
    ['gif', 'GIF87a\x10\0\x10\0\xf0'],
  ])('%s', async (container, head) => {
    expect(await sniff(head, 4096)).toBe(container);
  });
});

describe('what is no video is refused with its code, whatever its name', () => {
  it.each([
    ['media-empty', 'is empty', ''],
    ['not-media', 'a web page', '\xef\xbb\xbf\r\n <!DOCTYPE HTML>\n<html>'],
    ['not-media', 'a web page', '<!-- saved --><p>'],
    ['not-media', 'an SVG image', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">'],
    ['not-media', 'a JSON document', '{"error":"not found"}'],
    ['not-media', 'a text', 'Not Found\n'],
    ['not-media', 'a text', 'Big names in BMX: text that begins with letters of a picture\n'.replace('Big', 'BM')],
    ['not-media', 'a PNG image', '\x89PNG\r\n\x1a\n\0\0'],
    ['not-media', 'a JPEG image', '\xff\xd8\xff\xe0\0\x10JFIF'],
    ['not-media', 'a WebP image', 'RIFF\x10\x20\0\0WEBPVP8 '],
    ['not-media', 'an AVIF, HEIF or similar image', '\0\0\0\x10ftypavif\0\0\0\0'],
    ['not-media', 'an AVIF, HEIF or similar image', '\0\0\0\x10ftypheic\0\0\0\0'],
    ['not-media', 'a ZIP archive', 'PK\x03\x04\x14\0'],
    ['not-media', 'a gzip archive', '\x1f\x8b\x08\0'],
    ['not-media', 'a tar archive', `video.mp4${'\0'.repeat(248)}ustar\x0000`],
    ['not-media', 'a PDF document', '%PDF-1.7\n'],
    ['not-media', 'like any known media container', '\x01\x02\x03\x04\x05\x06\x07\x08'],
    ['playlist-refused', 'an HLS or M3U playlist', '#EXTM3U\n#EXT-X-VERSION:3\n'],
    ['playlist-refused', 'an HLS or M3U playlist', '\n\n#EXTM3U\n'],
    ['playlist-refused', 'an ffconcat script', 'ffconcat version 1.0\nfile secret.mp4\n'],
    ['playlist-refused', 'a list of files', "file 'secret.mp4'\n"],
    ['playlist-refused', 'a DASH manifest', '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011">'],
    ['playlist-refused', 'a playlist', '[playlist]\nFile1=http://127.0.0.1/\n'],
    ['playlist-refused', 'a session description', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n'],
    ['playlist-refused', 'a list of URLs', 'http://127.0.0.1:8080/secret\nhttps://example.com/a\n'],
    ['playlist-refused', 'an HLS', '\xff\xfe#\0E\0X\0T\0M\x003\0U\0\n\0'],
    ['unsupported-container', 'an MXF file', '\x06\x0e\x2b\x34\x02\x05'],
    ['unsupported-container', 'a RIFF file', 'RIFF\x10\x20\0\0CDXA'],
    ['unsupported-container', 'an EBML file', '\x1a\x45\xdf\xa3\x93\x42\x82\x83abc'],
    ['unsupported-container', 'a video stream without a container', '\0\0\0\x01\x67\x64\0\x1f'],
    ['no-video-stream', 'a WAV file', 'RIFF\x10\x20\0\0WAVEfmt '],
    ['no-video-stream', 'an MP3 file', 'ID3\x04\0\0\0\0\0\0'],
    ['no-video-stream', 'audio without a container', '\xff\xfb\x90\x64\0\0'],
  ])('%s: %s', async (code, sentence, head) => {
    await expect(sniff(head)).rejects.toMatchObject({ code, detail: expect.stringContaining(sentence) });
    await expect(sniff(head)).rejects.toMatchObject({ detail: expect.not.stringContaining('/') });
  });

  it('letters where a box would stand do not make a text a video', async () => {
    await expect(sniff('Ask free people what they think of moov and mdat.\n')).rejects.toMatchObject({ code: 'not-media' });
    await expect(sniff('I am free, ftyp and moov'.padEnd(5000, ' and so on'))).rejects.toMatchObject({ code: 'not-media' });
  });
});
