import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { compileParser } from '@vouch/platform/http/parseParameters';
import { withoutNulls } from '@vouch/platform/http/withoutNulls';
import { SummaryOptions } from '@vouch/video/engine/options/options.schema';
import { refuseOptions } from '@vouch/video/runs/refuseOptions';

/** Command-line flags of a preview, as text. */
export interface SummaryFlags {
  duration?: string;
  ratio?: string;
  segments?: string;
  order?: string;
  analysis?: string;
  outputs?: string;
  width?: string;
  height?: string;
  /** Aspect ratios, separated by commas. */
  aspect?: string;
  framing?: string;
  fps?: string;
  audio: boolean;
  crossfade?: string;
  burnCaptions?: boolean;
  /** File or URL of subtitles; not in the result, because an option names URLs only. */
  subtitles?: string;
  /** Further options as JSON, with the field names of the HTTP interface. */
  options?: string;
}

/** Outputs of the command line if `--outputs` is not given. */
const defaultOutputs = ['mp4', 'poster', 'storyboard', 'keyframes'] as const;

/**
 * Reads the command-line options according to the schema of the HTTP interface.
 * @throws Problem `invalid-parameter`, `unknown-parameter` or `contradictory-options` that names each fault; an option in a flag and in `--options` is one
 */
export function parseSummaryOptions(flags: SummaryFlags): SummaryOptions {
  const { segments, outputs, aspect, audio, burnCaptions, subtitles, options, ...named } = flags;
  const json = withoutNulls(SummaryOptions, parseJson(options)) as object;
  const byFlags: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries({ ...named, max_segments: segments }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, numberOr(value)])),
    ...(outputs === undefined ? {} : { outputs: listOf(outputs) }),
    ...(aspect === undefined ? {} : { aspect_ratios: listOf(aspect) }),
    ...(audio ? {} : { audio: false }),
    ...(burnCaptions === true ? { burn_captions: true } : {}),
  };
  refuseBoth(Object.keys(json).filter((name) => name in byFlags || (name === 'subtitles_url' && subtitles !== undefined)));
  const given: Record<string, unknown> = { outputs: defaultOutputs, ...json, ...byFlags };
  const { value, unknown, invalid } = compileParser('body', SummaryOptions)(given);
  const faults = [...unknown, ...invalid];
  if (faults.length > 0) {
    throw platformErrors.problem(unknown.length > 0 ? 'unknown-parameter' : 'invalid-parameter', faults.map(({ detail }) => detail).join('\n'), { errors: faults });
  }
  // The cast is safe: the reader has checked the value against the same schema.
  const read = value as SummaryOptions;
  refuseOptions(read, null);
  return read;
}

/** Flags whose names differ from those of their options. */
const flagNames: Readonly<Record<string, string>> = { max_segments: '--segments', aspect_ratios: '--aspect', audio: '--no-audio', burn_captions: '--burn-captions', subtitles_url: '--subtitles' };

/** @throws Problem `invalid-parameter` if there are names of options that flags and `--options` set */
function refuseBoth(names: readonly string[]): void {
  if (names.length === 0) return;
  throw platformErrors.problem('invalid-parameter', names.map((name) =>
    `${flagNames[name] ?? `--${name}`} and ${name} in --options set the same option. Use only one of them.`).join('\n'));
}

function listOf(text: string): string[] {
  return text.split(',').map((name) => name.trim()).filter((name) => name !== '');
}

function parseJson(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Ignored: the error below also covers invalid JSON.
  }
  throw platformErrors.problem('invalid-parameter', `--options is ${JSON.stringify(text.slice(0, 80))}; it must be a JSON object, for example '{"exclude_end":"5%"}'.`);
}

function numberOr(text: string | undefined): number | string | undefined {
  return text !== undefined && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
