/** Counts what a decoder reports as damaged, from ffmpeg's standard error. */
interface DamageCount {
  hear(chunk: Buffer): void;
  count(): number;
}

/**
 * One line each: a packet that the demuxer found cut or broken, or bytes where a Matroska element should begin; a packet
 * that a decoder refused (5.1 and 7 put it differently); a frame that came out, but with concealed errors.
 */
const damage = new RegExp([
  'corrupt input packet', 'Packet corrupt', 'first byte of an EBML number', 'exceeds (?:containing master element|max length)', 'File ended prematurely',
  'Error while decoding stream', 'Error submitting packet to decoder', 'corrupt decoded frame',
].join('|'));
/** Where such a line names its stream: `stream #0:1`, `[aist#0:1/aac`, `(stream = 1`, `in stream 1`. */
const streamOf = /(?:#0:|\(stream = |in stream )(\d+)/;
/** Longest part of a line that is kept; a flood without line ends costs no more. */
const maxLine = 4096;

/** @param others number of a stream that is read as well and whose damage does not count */
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
