import type { EditClip, EditList } from './editList.ts';
import { frameName, frameNumber } from './timecode.ts';

/** A reel has at most eight characters. AX is the usual name of media without a reel; the file name stands in a comment. */
const reel = 'AX';
/** The usual start of a program. */
const programStart = '01:00:00:00';

/**
 * The edit list as an EDL (CMX 3600), in the timecode of the source, which starts at 0 without one. Reasons are locators. An EDL has one track, so moments that are not in the
 * preview are comments at the end.
 */
export function describeEdl(list: EditList): string {
  const { timecode } = list;
  const start = frameNumber(programStart, timecode) ?? 0;
  const recorded = (frame: number): string => frameName(start + frame, timecode);
  const played = (frame: number): string => frameName(frame, timecode);
  const lines = [`TITLE: Preview of ${list.media}`.slice(0, 70), `FCM: ${timecode.dropFrame ? 'DROP FRAME' : 'NON-DROP FRAME'}`];
  const channels = list.sound === null ? 'V' : list.sound.channels === 1 ? 'B' : 'AA/V';
  list.clips.forEach((clip, index) => {
    const alone = clip.frames - clip.overlapAfter;
    const event = (effect: string, from: number, frames: number, at: number): string =>
      `${String(index + 1).padStart(3, '0')}  ${reel.padEnd(8)} ${channels.padEnd(5)} ${effect.padEnd(8)} ${[played(from), played(from + frames), recorded(at), recorded(at + frames)].join(' ')}`;
    lines.push('');
    if (clip.overlapBefore > 0) {
      lines.push(event('C', leaving(list.clips[index - 1]!), 0, clip.at), event(`D    ${String(clip.overlapBefore).padStart(3, '0')}`, clip.from, alone, clip.at), `* FROM CLIP NAME: ${list.media}`, `* TO CLIP NAME: ${list.media}`);
    } else lines.push(event('C', clip.from, alone, clip.at), `* FROM CLIP NAME: ${list.media}`);
    lines.push(`* COMMENT: ${clip.name}, score ${clip.score.toFixed(2)}`);
    for (const { text, frame } of clip.markers) lines.push(`* LOC: ${recorded(clip.at + frame - clip.from)} GREEN   ${text}`);
  });
  if (list.unused.length > 0) lines.push('', '* COMMENT: Moments not in the preview');
  for (const { from, frames, detail } of list.unused) lines.push(`* COMMENT: ${played(from)} ${played(from + frames)} ${detail}`);
  return `${lines.join('\r\n')}\r\n`;
}

/** The frame of the source at which a clip begins to fade into the next one. */
function leaving({ from, frames, overlapAfter }: EditClip): number {
  return from + frames - overlapAfter;
}
