import { AV_OPT_SEARCH_CHILDREN } from 'node-av/constants';
import { Option, type CodecContext, type FilterContext, type FormatContext } from 'node-av/lib';
import { check } from './check.ts';

export type Options = Readonly<Record<string, string | number>>;

/**
 * Sets options of a context before the context is opened. A Dictionary at the opening would crash: node-av 6.1.1 frees a
 * Dictionary that FFmpeg has consumed, and the process dies at the next garbage collection.
 * @throws AvError for an unknown option
 */
export function setOptions(context: CodecContext | FormatContext | FilterContext, options: Options): void {
  for (const [name, value] of Object.entries(options)) {
    check(Option.set(context.getNative(), name, String(value), AV_OPT_SEARCH_CHILDREN), `setting the option ${name}`);
  }
}
