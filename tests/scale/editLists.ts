import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';
import { expectEqual, expectTrue, type HeavyTest } from './heavyTest.ts';

const python = process.env['VOUCH_TEST_PYTHON'] ?? 'python3';
const packages = 'opentimelineio otio-cmx3600-adapter otio-fcpx-xml-adapter';

/** Prints, for each file, the tracks: kind, and per clip its first frame, its frames and the number of its markers; and the lengths of crossfades. */
const program = `
import json, sys, opentimelineio as otio
from opentimelineio.schema import Clip, Transition, Timeline
def clip(c): return [round(c.source_range.start_time.value), round(c.source_range.duration.value), len(c.markers)]
def fade(t): return round((t.in_offset + t.out_offset).value)
found = []
for name in sys.argv[2:]:
    read = otio.adapters.read_from_file(name, **({'rate': float(sys.argv[1])} if name.endswith('.edl') else {}))
    for timeline in [read] if isinstance(read, Timeline) else list(read):
        found.append([{'kind': t.kind, 'clips': [clip(c) for c in t if isinstance(c, Clip)], 'fades': [fade(x) for x in t if isinstance(x, Transition)]} for t in timeline.tracks])
print(json.dumps(found))
`;

/** Rates of the clips, and of their edit lists: OpenTimelineIO reads only timecode of usual rates. */
const rates = [[25, 25], [12, 24]] as const;

interface ReadTrack {
  kind: string;
  clips: [number, number, number][];
  fades: number[];
}

/** Reads the edit lists of a summary with OpenTimelineIO, and compares what its three readers find. */
export const editLists: HeavyTest = {
  name: 'editLists',
  guarantee: 'OpenTimelineIO and its readers of EDL and FCPXML find the same segments, crossfades and reasons in the three edit lists',
  skip: async () => (spawnSync(python, ['-c', 'import opentimelineio']).status === 0 ? null : `${python} has no opentimelineio (pip install ${packages}; VOUCH_TEST_PYTHON names another Python)`),
  async run(tell) {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-edit-'));
    try {
      for (const [framesPerSecond, counted] of rates) await compareReaders(folder, framesPerSecond, counted, tell);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function compareReaders(folder: string, framesPerSecond: number, counted: number, tell: (line: string) => void): Promise<void> {
  const clip = await makeFixture({ seconds: 40, framesPerSecond, cuts: [5, 11, 18, 24, 31, 36] });
  const out = join(folder, String(framesPerSecond));
  run(process.execPath, [vouchProgram, 'summarize', clip, '--out', out, '--outputs', 'otio,edl,fcpxml', '--options', '{"duration":12,"max_segment_duration":4,"crossfade":0.4}']);
  const files = ['otio', 'edl', 'fcpxml'].map((kind) => join(out, `preview.${kind}`));
  const [otio, edl, fcpxml, unused] = JSON.parse(run(python, ['-c', program, String(counted), ...files])) as ReadTrack[][];
  const [picture, sound, rejected] = otio as [ReadTrack, ReadTrack, ReadTrack];
  tell(`${framesPerSecond} frames per second: ${picture.clips.length} segments, ${picture.fades.length} crossfades, ${rejected.clips.length} moments not in the preview`);
  expectEqual('fades of the EDL', edl![0]!.fades, picture.fades);
  expectEqual('starts in the EDL', edl![0]!.clips.map(([from]) => from), picture.clips.map(([from], index) => from - Math.floor((picture.fades[index - 1] ?? 0) / 2)));
  expectEqual('markers in the EDL', edl![0]!.clips.map(([, , markers]) => markers), picture.clips.map(([, , markers]) => markers));
  expectClips('clips of the FCPXML', fcpxml![0]!.clips, picture.clips);
  expectClips('moments of the FCPXML', unused![0]!.clips, rejected.clips);
  expectEqual('clips of the sound', sound.clips.map(([from, frames]) => [from, frames]), picture.clips.map(([from, frames]) => [from, frames]));
}

/** The reader of FCPXML multiplies floating-point seconds and cuts the fraction off, so it can find one frame less. */
function expectClips(what: string, found: ReadTrack['clips'], wanted: ReadTrack['clips']): void {
  const same = found.length === wanted.length && found.every((clip, index) => clip.every((value, part) => [0, 1].includes(wanted[index]![part]! - value)));
  expectTrue(`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`, same);
}

function run(command: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 2 ** 24 });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr.slice(-2000)}`);
  return stdout;
}
