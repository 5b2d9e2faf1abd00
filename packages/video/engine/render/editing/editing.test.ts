import { describe, expect, it } from 'vitest';
import type { MediaInfo } from '../../media/mediaInfo.ts';
import type { Selection } from '../../selection/selection.ts';
import { describeEdl } from './describeEdl.ts';
import { describeFcpxml } from './describeFcpxml.ts';
import { describeOtio } from './describeOtio.ts';
import { buildEditList, editRate, type EditList } from './editList.ts';

const video = { frameRate: { numerator: 25, denominator: 1 }, variableFrameRate: false, width: 1920, height: 1080 } as MediaInfo['video'];
const selection: Pick<Selection, 'segments' | 'rejected'> = {
  segments: [
    { start: 10, end: 14, score: 0.8, title: null, text: null, reasons: [{ kind: 'motion', share: 0.3, at: 11, value: 0.9 }] },
    { start: 60, end: 63, score: 0.6, title: 'A & <b>', text: null, reasons: [{ kind: 'text', share: 0.2, text: 'one\r\n002  AX two' }] },
  ],
  rejected: [{ start: 30, end: 32, score: 0.5, why: 'budget', detail: '30.0–32.0 s did not fit.' }],
};
/** Crossfade of 10 frames between the segments. */
const parts = [
  { from: 10, at: 0, frames: 100, overlapBefore: 0, overlapAfter: 10 },
  { from: 60, at: 90, frames: 75, overlapBefore: 10, overlapAfter: 0 },
];
const list = buildEditList({
  title: 'Alpine "Trip".mp4', selection, parts,
  info: { duration: 100, video, audio: { stream: 1, codec: 'aac', sampleRate: 48_000, channels: 2 } },
});

describe('edit lists of a preview', () => {
  it('an EDL has each segment at its frames, the crossfade as a dissolve of its length, and one line per reason', () => {
    const lines = describeEdl(list).split('\r\n');
    expect(lines.filter((line) => /^\d{3} /.test(line))).toEqual([
      '001  AX       AA/V  C        00:00:10:00 00:00:13:15 01:00:00:00 01:00:03:15',
      '002  AX       AA/V  C        00:00:13:15 00:00:13:15 01:00:03:15 01:00:03:15',
      '002  AX       AA/V  D    010 00:01:00:00 00:01:03:00 01:00:03:15 01:00:06:15',
    ]);
    expect(lines).toContain('* LOC: 01:00:01:00 GREEN   outstanding motion, strongest at 0:11.0 (30 %)');
    expect(lines).toContain('* LOC: 01:00:03:20 GREEN   spoken text: “one 002  AX two” (20 %)');
    expect(lines).toContain('* COMMENT: 00:00:30:00 00:00:32:00 30.0–32.0 s did not fit.');
  });

  it('count the source by its timecode, drop-frame as well, so that editing programs find its frames', () => {
    const television = { ...video, frameRate: { numerator: 30_000, denominator: 1001 } };
    const listOf = (facts: Partial<MediaInfo['video']>): EditList => buildEditList({ title: 'a.mov', selection, parts: [{ ...parts[0]!, overlapAfter: 0 }], info: { duration: 100, audio: null, video: { ...television, ...facts } } });
    const dropped = listOf({ timecode: '00:59:58;00' });
    const [event] = describeEdl(dropped).split('\r\n').filter((line) => /^\d{3} /.test(line));
    expect(describeEdl(dropped)).toContain('FCM: DROP FRAME');
    // 10 s are 300 frames, and the names of the first two frames of each minute but each tenth are skipped.
    expect(event).toBe('001  AX       V     C        01:00:08;00 01:00:11;10 01:00:00;00 01:00:03;10');
    // 59 minutes and 58 s have 107,940 names, of which 2 × 54 are skipped.
    expect(describeFcpxml(dropped)).toContain(`start="${107_832 * 1001}/30000s" duration="${2997 * 1001}/30000s" hasVideo`);
    expect(describeFcpxml(dropped)).toContain(`start="${(107_832 + 300) * 1001}/30000s" duration="100100/30000s" format="r1" tcFormat="DF"`);
    expect(describeOtio(dropped)).toContain('"value": 107832');
    expect(describeEdl(listOf({ timecode: '00:59:58:00' }))).toContain('FCM: NON-DROP FRAME');
    expect(describeEdl(listOf({ timecode: '00:59:58:00' }))).toContain(' 01:00:08:00 01:00:11:10 01:00:00:00 01:00:03:10');
    // A timecode that names no frame, or that counts at another rate than the edit list, tells nothing.
    for (const other of [{ timecode: '00:59:58:30' }, { timecode: '00:59:00;00' }, { timecode: '00:59:58:00', frameRate: { numerator: 12, denominator: 1 } }, { timecode: '00:59:58:00', variableFrameRate: true }]) {
      expect(listOf(other).mediaStart).toBe(0);
    }
  });

  it('OpenTimelineIO has the cut in the middle of the crossfade, and a disabled track with what is not in the preview', () => {
    const { tracks: { children: [picture, sound, unused] } } = JSON.parse(describeOtio(list)) as { tracks: { children: { kind: string; enabled: boolean; children: Record<string, unknown>[] }[] } };
    const ranges = picture!.children.filter(({ OTIO_SCHEMA }) => OTIO_SCHEMA === 'Clip.2').map(({ source_range: range }) => {
      const { start_time: start, duration } = range as Record<string, { value: number; rate: number }>;
      return [start!.value, duration!.value, duration!.rate];
    });
    expect(ranges).toEqual([[250, 95, 25], [1505, 70, 25]]);
    expect(picture!.children[1]).toMatchObject({ OTIO_SCHEMA: 'Transition.1', in_offset: { value: 5 }, out_offset: { value: 5 } });
    expect([sound!.kind, unused!.enabled, unused!.children[0]!['name']]).toEqual(['Audio', false, 'budget']);
  });

  it('FCPXML counts whole frames, escapes names, and has a second project with what is not in the preview', () => {
    const text = describeFcpxml(list);
    expect(text).toContain('<asset-clip ref="r2" name="A &amp; &lt;b&gt;" offset="95/25s" start="1505/25s" duration="70/25s" format="r1" tcFormat="NDF">');
    // A reason at the start of the segment stands in the clip, not in the frames that only the crossfade shows.
    expect(text).toContain('<marker start="1505/25s" duration="1/25s" value="spoken text: “one 002  AX two” (20 %)"/>');
    expect(text).toContain('<transition name="Cross Dissolve" offset="90/25s" duration="10/25s"/>');
    expect(text).toContain('src="Alpine%20%22Trip%22.mp4"');
    expect(text).toContain('<project name="Moments not in the preview of Alpine &quot;Trip&quot;.mp4">');
  });

  it.each([
    [{ numerator: 30_000, denominator: 1001 }, false, 30_000 / 1001],
    [{ numerator: 2_997_003, denominator: 100_000 }, false, 30_000 / 1001],
    [{ numerator: 23_976, denominator: 1000 }, false, 24_000 / 1001],
    [{ numerator: 24_001, denominator: 1000 }, false, 24],
    [{ numerator: 60_000, denominator: 1001 }, false, 60_000 / 1001],
    [{ numerator: 25, denominator: 2 }, false, 25],
    [{ numerator: 12, denominator: 1 }, false, 24],
    [{ numerator: 15_000, denominator: 1001 }, false, 30_000 / 1001],
    [{ numerator: 20, denominator: 1 }, false, 60],
    [{ numerator: 15, denominator: 2 }, false, 30],
    [{ numerator: 1, denominator: 10 }, false, 24],
    [{ numerator: 2500, denominator: 83 }, false, 30],
    [{ numerator: 23, denominator: 1 }, false, 24],
    [{ numerator: 120_000, denominator: 1001 }, false, 60_000 / 1001],
    [{ numerator: 100, denominator: 1 }, false, 50],
    [{ numerator: 144, denominator: 1 }, false, 48],
    [{ numerator: 90, denominator: 1 }, false, 30],
    [{ numerator: 65, denominator: 1 }, false, 60],
    [{ numerator: 2_731, denominator: 100 }, true, 30],
    [{ numerator: 3, denominator: 10 }, true, 24],
    [{ numerator: 12, denominator: 1 }, true, 24],
    [{ numerator: 0, denominator: 1 }, false, 25],
  ])('a source of %j frames per second (variable: %s) is cut at %d', (frameRate, variableFrameRate, expected) => {
    const { numerator, denominator } = editRate({ ...video, frameRate, variableFrameRate });
    expect(numerator / denominator).toBe(expected);
  });
});
