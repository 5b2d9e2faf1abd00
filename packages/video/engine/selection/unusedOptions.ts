import type { Warning } from '../analysis/analysis.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import type { SummaryOptions } from '../options/options.schema.ts';

const moving = ['mp4', 'webm', 'av1', 'hls', 'gif', 'webp'] as const;

/**
 * Warns of options that have no effect on this video or on the requested outputs. `checkOptions` refuses options that contradict each other or the video.
 * @param duration length of the video, seconds
 */
export function warnOfUnusedOptions(options: SummaryOptions, info: Pick<MediaInfo, 'audio'>, duration: number): Warning[] {
  return [...outsideRanges(options, duration), ...(info.audio === null ? withoutSound(options) : []), ...replacedSubtitles(options), ...withoutPictures(options)]
    .map((detail) => ({ code: 'option-without-effect', detail }));
}

function outsideRanges({ exclude_ranges: ranges = [] }: SummaryOptions, duration: number): string[] {
  return ranges.flatMap(({ start, end }, index) => (start < duration ? [] : [`exclude_ranges/${index} (${start}–${end} s) has no effect, because the video ends at ${Number(duration.toFixed(2))} s.`]));
}

function withoutSound({ audio, weights }: SummaryOptions): string[] {
  const given = [...(audio === true ? ['audio'] : []), ...(['sound', 'speech'] as const).filter((name) => (weights?.[name] ?? 0) > 0).map((name) => `weights.${name}`)];
  return given.length === 0 ? [] : [`${given.join(', ')} ${given.length === 1 ? 'has' : 'have'} no effect, because the video has no sound.`];
}

function replacedSubtitles({ subtitles_language: language, subtitles_url: url }: SummaryOptions): string[] {
  return language === undefined || url === undefined ? [] : [`subtitles_language ${language} has no effect, because it chooses among the subtitles inside the video, and subtitles_url replaces them.`];
}

function withoutPictures({ outputs, burn_captions: captions, aspect_ratios: ratios }: SummaryOptions): string[] {
  if (outputs === undefined || moving.some((kind) => outputs.includes(kind))) return [];
  const given = [...(captions === true ? ['burn_captions'] : []), ...(ratios === undefined || outputs.includes('poster') ? [] : ['aspect_ratios'])];
  return given.length === 0 ? [] : [`${given.join(' and ')} ${given.length === 1 ? 'has' : 'have'} no effect on the outputs ${outputs.join(', ')}.`];
}
