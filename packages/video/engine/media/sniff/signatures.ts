/** Result of the inspection of a file's first bytes. */
export type Sniffed =
  | { kind: 'container'; container: string }
  /** Noun phrase of the error sentence, after `is `. */
  | { kind: 'not-media'; what: string }
  | { kind: 'playlist'; what: string }
  | { kind: 'unsupported'; what: string }
  | { kind: 'sound'; what: string }
  | { kind: 'unknown' };

interface Signature {
  at: number;
  /** Expected bytes, as Latin-1. */
  bytes: string;
  shows: Sniffed;
}

const signature = (bytes: string, shows: Sniffed, at = 0): Signature => ({ at, bytes, shows });
const container = (name: string): Sniffed => ({ kind: 'container', container: name });
const notMedia = (what: string): Sniffed => ({ kind: 'not-media', what });
const unsupported = (what: string): Sniffed => ({ kind: 'unsupported', what });
const sound = (what: string): Sniffed => ({ kind: 'sound', what });

/** Fixed bytes at fixed positions; longer signatures first. */
const signatures: readonly Signature[] = [
  signature('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c', container('asf')),
  signature('\x89PNG\r\n\x1a\n', notMedia('a PNG image')),
  signature('\x00\x00\x00\x0cjP  ', notMedia('a JPEG 2000 image')),
  signature('\x00\x00\x00\x0cJXL ', notMedia('a JPEG XL image')),
  signature('nut/multimedia', unsupported('a NUT file')),
  signature('YUV4MPEG2', unsupported('a YUV4MPEG file')),
  signature('7z\xbc\xaf\x27\x1c', notMedia('a 7-Zip archive')),
  signature('\xfd7zXZ\x00', notMedia('an xz archive')),
  signature('Rar!\x1a', notMedia('a RAR archive')),
  signature('\x00\x00\x01\xba', container('mpeg')),
  signature('\x00\x00\x01\xb3', unsupported('an MPEG video stream without a container')),
  signature('\x06\x0e\x2b\x34', unsupported('an MXF file')),
  signature('.RMF', unsupported('a RealMedia file')),
  signature('DKIF', unsupported('an IVF file')),
  signature('FLV\x01', container('flv')),
  signature('OggS', container('ogg')),
  signature('fLaC', sound('a FLAC file')),
  signature('MThd', sound('a MIDI file')),
  signature('%PDF', notMedia('a PDF document')),
  signature('\x7fELF', notMedia('a program')),
  signature('GIF87a', container('gif')),
  signature('GIF89a', container('gif')),
  signature('II*\x00', notMedia('a TIFF image')),
  signature('MM\x00*', notMedia('a TIFF image')),
  signature('8BPS', notMedia('a Photoshop image')),
  signature('PK\x03\x04', notMedia('a ZIP archive')),
  signature('PK\x05\x06', notMedia('a ZIP archive')),
  signature('\x28\xb5\x2f\xfd', notMedia('a Zstandard archive')),
  signature('ustar', notMedia('a tar archive'), 257),
  signature('\x00\x00\x00\x01', unsupported('a video stream without a container')),
  signature('\x00\x00\x01\x00', notMedia('an icon')),
  signature('BZh', notMedia('a bzip2 archive')),
  signature('\xff\xd8\xff', notMedia('a JPEG image')),
  signature('ID3', sound('an MP3 file')),
  signature('\x1f\x8b', notMedia('a gzip archive')),
  signature('\xff\x0a', notMedia('a JPEG XL image')),
  signature('BM', notMedia('a BMP image')),
];

/** Form types of RIFF files, which follow `RIFF` and four bytes of length. */
const riffForms: Readonly<Record<string, Sniffed>> = {
  'AVI ': container('avi'), AVIX: container('avi'), WEBP: notMedia('a WebP image'), WAVE: sound('a WAV file'),
};

const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp', 'moof', 'sidx', 'uuid']);
const pictureBrands = new Set(['avif', 'heic', 'heix', 'heim', 'heis', 'mif1', 'crx ', 'jxl ']);

/**
 * Identifies the format of a file by its first bytes. The file name and the content type of a server are ignored.
 * @param head the first bytes, as Latin-1
 * @param bytes length of the whole file
 */
export function matchSignature(head: string, bytes: number): Sniffed {
  return isoMedia(head, bytes) ?? ebml(head) ?? riff(head) ?? transportStream(head)
    ?? signatures.find(({ at, bytes: expected }) => head.startsWith(expected, at))?.shows
    ?? rawSound(head) ?? { kind: 'unknown' };
}

/** MP4 and related formats, which consist of boxes with a length and a name. */
function isoMedia(head: string, bytes: number): Sniffed | null {
  const name = head.slice(4, 8);
  if (!firstBoxes.has(name)) return null;
  const size = Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE();
  // Text instead of the length would mean a box of more than 500 MB. Only `mdat` and `moov` may exceed the file, because it
  // may be truncated.
  if (size > 1 && (size < 8 || (size > bytes && name !== 'mdat' && name !== 'moov'))) return null;
  if (name !== 'ftyp') return container('mov');
  const brand = head.slice(8, 12);
  if (pictureBrands.has(brand)) return notMedia('an AVIF, HEIF or similar image');
  return container(brand === 'qt  ' ? 'mov' : 'mp4');
}

function ebml(head: string): Sniffed | null {
  if (!head.startsWith('\x1a\x45\xdf\xa3')) return null;
  const type = /\x42\x82[\x81-\x88]([a-z]+)/.exec(head.slice(0, 4096))?.[1];
  return type === 'webm' || type === 'matroska' ? container(type) : unsupported('an EBML file that is neither Matroska nor WebM');
}

function riff(head: string): Sniffed | null {
  if (!head.startsWith('RIFF')) return null;
  return riffForms[head.slice(8, 12)] ?? unsupported('a RIFF file that is not AVI');
}

/**
 * MPEG transport stream: packets of 188 bytes that start with `G`, optionally after a timestamp of 4 bytes (m2ts) or before 16
 * bytes of error correction.
 */
function transportStream(head: string): Sniffed | null {
  for (const [offset, stride] of [[0, 188], [4, 192], [0, 204]] as const) {
    const places = [0, 1, 2, 3, 4].map((index) => offset + index * stride).filter((place) => place < head.length);
    if (places.length >= 3 && places.every((place) => head[place] === 'G')) return container('mpegts');
  }
  return null;
}

/** MP3 and AAC without a container: frames start with eleven set bits. */
function rawSound(head: string): Sniffed | null {
  return /^\xff[\xe2-\xff]/.test(head) ? sound('audio without a container (MP3, AAC or similar)') : null;
}
