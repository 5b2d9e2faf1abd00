/** Counts what a decoder reports as damaged, from ffmpeg's standard error. */
export interface DamageCount {
  hear(chunk: Buffer): void;
  count(): number;
}

/**
 * One line each: a packet that the demuxer found cut or broken; one that a decoder refused (5.1 and 7 put it
 * differently); a frame that came out, but with concealed errors.
 */
const damage = /corrupt input packet|Error while decoding stream|Error submitting packet to decoder|corrupt decoded frame/;
/** Longest part of a line that is kept; a flood without line ends costs no more. */
const longestLine = 4096;

export function countDamage(): DamageCount {
  let rest = '';
  let seen = 0;
  return {
    hear(chunk) {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = (lines.pop() ?? '').slice(-longestLine);
      for (const line of lines) if (damage.test(line)) seen += repeats(line);
    },
    count: () => seen + (damage.test(rest) ? 1 : 0),
  };
}

function repeats(line: string): number {
  return Number(/Last message repeated (\d+) times/.exec(line)?.[1] ?? 1);
}
