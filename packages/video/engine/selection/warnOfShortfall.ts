import type { Warning } from '../analysis/analysis.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { budgetTolerance, lengthName, type SettledOptions } from './settleOptions.ts';

/** A change of one option that may allow a longer preview. */
interface Change {
  /** The change in words, such as "without max_segments 3". */
  name: string;
  apply(options: SummaryOptions): SummaryOptions;
}

/** Options whose omission may allow a longer preview. */
const limiting = ['max_segments', 'max_segment_duration', 'min_segment_duration', 'exclude_start', 'exclude_end', 'exclude_ranges', 'include_ranges', 'crossfade'] as const;
/** Options that limit a preview unless they are false. */
const limitingByDefault = ['skip_credits', 'keep_speech_whole'] as const;
/** Maximum number of changes that the warning names. */
const mostNamed = 3;

/**
 * Warns of a preview that its options make shorter than the requested or the default length. The warning names the options without
 * which the preview would be longer, and by how much: each is left out in turn.
 * @param length length of the preview, seconds
 * @param lengthWith length of the preview with other options, seconds; null to name no options
 */
export function warnOfShortfall(length: number, options: SummaryOptions, settled: SettledOptions, lengthWith: ((options: SummaryOptions) => number) | null): Warning {
  const missing = `The preview has only ${seconds(length)}, ${seconds(settled.target - length)} less than ${lengthName(settled)}.`;
  return { code: 'less-than-duration', detail: lengthWith === null ? missing : `${missing} ${causeOf(length, options, settled, lengthWith)}` };
}

function causeOf(length: number, options: SummaryOptions, settled: SettledOptions, lengthWith: (options: SummaryOptions) => number): string {
  const changes = changesOf(options);
  const gains = (tried: readonly Change[]): string[] => tried.map(({ name, apply }) => ({ name, gained: lengthWith(apply(options)) }))
    .filter(({ gained }) => gained > length + budgetTolerance)
    .sort((one, other) => other.gained - one.gained)
    .slice(0, mostNamed)
    .map(({ name, gained }, index) => (index === 0 ? `${name}, the preview would have ${seconds(gained)}` : `${name}, ${seconds(gained)}`));
  const alone = gains(changes);
  if (alone.length > 0) return sentence(alone.join('; '));
  const all = changes.length > 1 ? gains([together(changes)]) : [];
  if (all.length > 0) return `No option alone is the cause. ${sentence(all.join(''))}`;
  return `No option is the cause: no other part of the video makes a segment of ${settled.minSegmentSeconds.toFixed(1)} to ${seconds(settled.maxSegmentSeconds)} beside these.`;
}

function changesOf(options: SummaryOptions): Change[] {
  return [
    ...limiting.filter((name) => options[name] !== undefined).map((name): Change => ({ name: `without ${nameOf(options, name)}`, apply: (given) => without(given, name) })),
    ...limitingByDefault.filter((name) => options[name] !== false).map((name): Change => ({ name: `with ${name} false`, apply: (given) => ({ ...given, [name]: false }) })),
  ];
}

function without(options: SummaryOptions, name: (typeof limiting)[number]): SummaryOptions {
  const { [name]: _, ...rest } = options;
  return rest;
}

/** The name of an option with its value, or alone if the value is a list. */
function nameOf(options: SummaryOptions, name: (typeof limiting)[number]): string {
  const value = options[name];
  return Array.isArray(value) ? name : `${name} ${String(value)}`;
}

function together(changes: readonly Change[]): Change {
  const names = changes.map(({ name }) => name);
  return { name: `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`, apply: (options) => changes.reduce((changed, { apply }) => apply(changed), options) };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`;
}
