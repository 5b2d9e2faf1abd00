import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { compileReader } from '@vouch/platform/http/readParameters';
import { withoutNulls } from '@vouch/platform/http/withoutNulls';
import { SummaryOptions } from '@vouch/video/engine/options/options.schema';
import { refuseOptions } from '@vouch/video/runs/refuseOptions';

/** What the command line says of a preview, as text. */
export interface SummaryFlags {
  duration?: string;
  ratio?: string;
  segments?: string;
  order?: string;
  analysis?: string;
  outputs?: string;
  width?: string;
  height?: string;
  fps?: string;
  audio: boolean;
  crossfade?: string;
  /** Further options as JSON, by their names in the interface. */
  options?: string;
}

/** What a person at a terminal gets unless told otherwise. */
const defaultOutputs = ['mp4', 'poster', 'storyboard', 'keyframes'] as const;

/**
 * Reads the options of the command line by the schema of the interface.
 * @throws Problem `invalid-parameter`, `unknown-parameter` or `contradictory-options`, naming each fault
 */
export function readSummaryOptions(flags: SummaryFlags): SummaryOptions {
  const { segments, outputs, audio, options, ...named } = flags;
  const given: Record<string, unknown> = {
    outputs: defaultOutputs,
    ...withoutNulls(SummaryOptions, readJson(options)) as object,
    ...Object.fromEntries(Object.entries({ ...named, max_segments: segments }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, numberOr(value)])),
    ...(outputs === undefined ? {} : { outputs: outputs.split(',').map((name) => name.trim()).filter((name) => name !== '') }),
    ...(audio ? {} : { audio: false }),
  };
  const { value, unknown, invalid } = compileReader('body', SummaryOptions)(given);
  const faults = [...unknown, ...invalid];
  if (faults.length > 0) {
    throw platformErrors.problem(unknown.length > 0 ? 'unknown-parameter' : 'invalid-parameter', faults.map(({ detail }) => detail).join('\n'), { errors: faults });
  }
  // The reader has checked it against this very schema.
  const read = value as SummaryOptions;
  refuseOptions(read, null);
  return read;
}

function readJson(text: string | undefined): object {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The sentence below says it.
  }
  throw platformErrors.problem('invalid-parameter', `--options is ${JSON.stringify(text.slice(0, 80))}; it must be a JSON object, for example '{"exclude_end":"5%"}'.`);
}

function numberOr(text: string | undefined): number | string | undefined {
  return text !== undefined && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
