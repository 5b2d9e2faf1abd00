/** Counts the damage that a decoder reports on ffmpeg's standard error. */
interface DamageCount {
  hear(chunk: Buffer): void;
  count(): number;
}

/**
 * Lines that report damage: a truncated or broken packet, or invalid bytes instead of a Matroska element (demuxer); a rejected
 * packet (decoder; 5.1 and 7 use different sentences); a frame decoded with concealed errors.
 */
const damage = new RegExp([
  'corrupt input packet', 'Packet corrupt', 'first byte of an EBML number', 'exceeds (?:containing master element|max length)', 'File ended prematurely',
  'Error while decoding stream', 'Error submitting packet to decoder', 'corrupt decoded frame',
].join('|'));
/** Stream index in such a line: `stream #0:1`, `[aist#0:1/aac`, `(stream = 1`, `in stream 1`. */
const streamOf = /(?:#0:|\(stream = |in stream )(\d+)/;
/** Maximum length of a buffered line, so that output without line ends does not use more memory. */
const maxLine = 4096;

/** @param others index of a stream that is also read and whose damage does not count */
export function countDamage(others?: number): DamageCount {
  let rest = '';
  let seen = 0;
  const counts = (line: string): boolean => damage.test(line) && Number(streamOf.exec(line)?.[1] ?? -1) !== others;
  return {
    hear(chunk) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = (lines.pop() ?? '').slice(-maxLine);
      for (const line of lines) if (counts(line)) seen += repeats(line);
    },
    count: () => seen + (counts(rest) ? 1 : 0),
  };
}

function repeats(line: string): number {
  return Number(/Last message repeated (\d+) times/.exec(line)?.[1] ?? 1);
}
