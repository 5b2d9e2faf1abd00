import type { SummaryOptions } from '../options/options.schema.ts';
import { shapeFaults } from './checkShape.ts';
import { mergeRanges, overlapOf, lengthOf, type Range } from './range.ts';
import { budgetTolerance, edgeSeconds } from './settleOptions.ts';

/** A contradiction between two options, or between an option and the video. */
interface OptionFault {
  /** JSON pointer within the options, e.g. `/include_ranges/0`. */
  location: string;
  detail: string;
}

/**
 * Reports options that contradict each other or the video.
 * @param duration length of the video in seconds; null while the length is unknown, in which case only the options are
 *   compared
 * @returns one fault per contradiction; an empty list if the options are consistent
 */
export function checkOptions(options: SummaryOptions, duration: number | null): OptionFault[] {
  return [...lengthFaults(options), ...rangeFaults(options), ...includeFaults(options, duration), ...edgeFaults(options, duration), ...outputFaults(options), ...shapeFaults(options)];
}

function lengthFaults(options: SummaryOptions): OptionFault[] {
  const { duration, ratio, min_segment_duration: least, max_segment_duration: most, max_segments: segments, crossfade } = options;
  const faults: OptionFault[] = [];
  if (duration !== undefined && ratio !== undefined) {
    faults.push({ location: '/ratio', detail: `ratio ${ratio} and duration ${duration} both set the length of the preview. Use only one of them.` });
  }
  if (least !== undefined && most !== undefined && least > most) {
    faults.push({ location: '/min_segment_duration', detail: `min_segment_duration ${least} is greater than max_segment_duration ${most}, so no segment has an allowed length.` });
  }
  if (least !== undefined && duration !== undefined && least > duration + budgetTolerance) {
    faults.push({ location: '/min_segment_duration', detail: `min_segment_duration ${least} is greater than duration ${duration}, so no segment fits.` });
  }
  const requested = duration ?? (ratio === undefined ? 30 : undefined);
  if (segments !== undefined && most !== undefined && requested !== undefined && segments * most < requested - budgetTolerance) {
    faults.push({
      location: '/max_segments',
      detail: `${segments} segments of at most ${most} s have at most ${Number((segments * most).toFixed(3))} s in total, less than the ${requested} s of the preview. Raise max_segments or max_segment_duration.`,
    });
  }
  if (crossfade !== undefined && least !== undefined && 2 * crossfade > least) {
    faults.push({ location: '/crossfade', detail: `A crossfade of ${crossfade} s at both ends does not fit into a segment of ${least} s. Use at most half of min_segment_duration.` });
  }
  return faults;
}

function rangeFaults(options: SummaryOptions): OptionFault[] {
  return (['include_ranges', 'exclude_ranges'] as const).flatMap((name) =>
    (options[name] ?? []).flatMap(({ start, end }, index) =>
      end > start ? [] : [{ location: `/${name}/${index}`, detail: `The range ends (${end}) at or before its start (${start}).` }]));
}

function includeFaults(options: SummaryOptions, duration: number | null): OptionFault[] {
  const includes = options.include_ranges ?? [];
  const faults: OptionFault[] = [];
  const excludes: Range[] = [...(options.exclude_ranges ?? []), ...edges(options, duration)];
  for (const [index, include] of includes.entries()) {
    const clash = excludes.find((exclude) => overlapOf(include, exclude) > 1e-6);
    if (clash !== undefined) {
      faults.push({ location: `/include_ranges/${index}`, detail: `The range ${include.start}–${include.end} s is included, but another option excludes ${round(clash.start)}–${round(clash.end)} s.` });
    }
    if (duration !== null && include.end > duration + 0.5) {
      faults.push({ location: `/include_ranges/${index}`, detail: `The range ends at ${include.end} s, but the video ends at ${round(duration)} s.` });
    }
  }
  const merged = mergeRanges(includes);
  const asked = lengthOf(merged);
  const requested = options.duration ?? (options.ratio === undefined ? 30 : duration === null ? null : options.ratio * duration);
  if (requested !== null && asked > requested + budgetTolerance) {
    faults.push({ location: '/include_ranges', detail: `The ranges have ${round(asked)} s in total, more than the ${round(requested)} s of the preview. Raise duration or shorten the ranges.` });
  }
  if (options.max_segments !== undefined && merged.length > options.max_segments) {
    faults.push({ location: '/max_segments', detail: `The preview must include ${merged.length} ranges, but max_segments allows ${options.max_segments} segments.` });
  }
  return faults;
}

/**
 * The ranges of `exclude_start` and `exclude_end`. Without the duration, shares such as "5%" and `exclude_end` are unknown and
 * left out.
 */
function edges(options: SummaryOptions, duration: number | null): Range[] {
  const { exclude_start: start, exclude_end: end } = options;
  const ranges: Range[] = [];
  if (typeof start === 'number' || (start !== undefined && duration !== null)) ranges.push({ start: 0, end: edgeSeconds(start, duration ?? 0) });
  if (end !== undefined && duration !== null) ranges.push({ start: Math.max(0, duration - edgeSeconds(end, duration)), end: duration });
  return ranges.filter((range) => range.end > range.start);
}

function edgeFaults({ exclude_start: start, exclude_end: end }: SummaryOptions, duration: number | null): OptionFault[] {
  const share = (edge: number | string | undefined): number => (typeof edge === 'string' ? Number(edge.slice(0, -1)) : 0);
  const known = duration !== null ? edgeSeconds(start, duration) + edgeSeconds(end, duration) >= duration : share(start) + share(end) >= 100;
  if (!known) return [];
  const of = duration === null ? 'the whole video' : `the ${round(duration)} s of the video`;
  return [{ location: end === undefined ? '/exclude_start' : '/exclude_end', detail: `exclude_start ${start ?? 0} and exclude_end ${end ?? 0} exclude ${of}.` }];
}

function outputFaults({ outputs }: SummaryOptions): OptionFault[] {
  if (outputs === undefined || outputs.length > 0) return [];
  return [{ location: '/outputs', detail: 'outputs is empty, so the run would create no file. Name at least one output, or omit outputs for mp4, poster and storyboard.' }];
}

function round(seconds: number): number {
  return Number(seconds.toFixed(2));
}
