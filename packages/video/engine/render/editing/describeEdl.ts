import type { EditClip, EditList } from './editList.ts';

/** A reel has at most eight characters. AX is the usual name of media without a reel; the file name stands in a comment. */
const reel = 'AX';
/** The first hour is the usual start of a program. */
const startHour = 1;

/**
 * The edit list as an EDL (CMX 3600) with non-drop-frame timecode. Reasons are locators. An EDL has one track, so moments that are not in the
 * preview are comments at the end.
 */
export function describeEdl(list: EditList): string {
  const recorded = timecoder(list, startHour);
  const played = timecoder(list, 0);
  const lines = [`TITLE: Preview of ${list.media}`.slice(0, 70), 'FCM: NON-DROP FRAME'];
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

/** Timecode counts frames; at 29.97 frames per second, 30 of them make a second of non-drop-frame timecode. */
function timecoder({ rate }: EditList, hours: number): (frame: number) => string {
  const perSecond = Math.ceil(rate.numerator / rate.denominator);
  return (frame) => {
    const seconds = Math.floor(frame / perSecond) + hours * 3600;
    return [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60, frame % perSecond].map((part) => String(part).padStart(2, '0')).join(':');
  };
}
