import { AV_OPT_SEARCH_CHILDREN } from 'node-av/constants';
import { Option, type CodecContext, type FilterContext, type FormatContext } from 'node-av/lib';
import { check } from './check.ts';

export type Options = Readonly<Record<string, string | number>>;

/**
 * Sets options of a context before it is opened. Not by a Dictionary at the opening: the binding of 6.1.1 frees one that
 * FFmpeg has taken, and the process dies when it is collected. @throws AvError for an option that there is not
 */
export function setOptions(context: CodecContext | FormatContext | FilterContext, options: Options): void {
  for (const [name, value] of Object.entries(options)) {
    check(Option.set(context.getNative(), name, String(value), AV_OPT_SEARCH_CHILDREN), `setting the option ${name}`);
  }
}
