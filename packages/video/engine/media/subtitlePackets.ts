import { cueTime } from './cueTime.ts';

/** A packet of a subtitle stream: its times in seconds, and its data as the container stores it. */
export interface SubtitlePacket {
  time: number;
  seconds: number;
  data: Uint8Array;
}

/** Largest number of bytes of subtitles that is read from one file; a long film has 300 kB. */
export const maxSubtitleBytes = 8_000_000;
/** Fields before the text of an ASS event in Matroska: ReadOrder, Layer, Style, Name, three margins and Effect. */
const assFields = 8;
/** Length of a subtitle without a stated length that no other one follows, seconds. */
const defaultSeconds = 4;

/**
 * Writes the packets of a subtitle stream as SubRip, which `parseSubtitles` reads: SubRip, WebVTT and plain text as they are, mov_text (3GPP timed
 * text) without its length and style boxes, ASS without the fields before the text.
 * @param codec FFmpeg's name of the codec
 */
export function writeSubRip(codec: string, packets: readonly SubtitlePacket[]): string {
  return packets.map(({ time, seconds, data }, index) => {
    const next = packets[index + 1]?.time ?? Infinity;
    const end = seconds > 0 ? time + seconds : Math.min(next, time + defaultSeconds);
    const text = textOf(codec, data).split(/\r\n|\n|\r/).filter((line) => line.trim() !== '').join('\n');
    return `${index + 1}\n${cueTime(time, ',')} --> ${cueTime(end, ',')}\n${text}\n`;
  }).join('\n');
}

function textOf(codec: string, data: Uint8Array): string {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (codec === 'mov_text') return bytes.length < 2 ? '' : bytes.toString('utf8', 2, 2 + Math.min(bytes.readUInt16BE(), bytes.length - 2));
  const text = bytes.toString('utf8');
  if (codec !== 'ass' && codec !== 'ssa') return text;
  return text.split(',').slice(assFields).join(',').replaceAll('\\N', '\n').replaceAll(/\\[nh]/g, ' ');
}
