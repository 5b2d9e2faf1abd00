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
  /** Further options as JSON, with the field names of the HTTP interface. */
  options?: string;
}

/** Outputs of the command line if `--outputs` is not given. */
const defaultOutputs = ['mp4', 'poster', 'storyboard', 'keyframes'] as const;

/**
 * Reads the command-line options according to the schema of the HTTP interface.
 * @throws Problem `invalid-parameter`, `unknown-parameter` or `contradictory-options` that names each fault
 */
export function parseSummaryOptions(flags: SummaryFlags): SummaryOptions {
  const { segments, outputs, aspect, audio, burnCaptions, options, ...named } = flags;
  const given: Record<string, unknown> = {
    outputs: defaultOutputs,
    ...withoutNulls(SummaryOptions, parseJson(options)) as object,
    ...Object.fromEntries(Object.entries({ ...named, max_segments: segments }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, numberOr(value)])),
    ...(outputs === undefined ? {} : { outputs: listOf(outputs) }),
    ...(aspect === undefined ? {} : { aspect_ratios: listOf(aspect) }),
    ...(audio ? {} : { audio: false }),
    ...(burnCaptions === true ? { burn_captions: true } : {}),
  };
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
