import { resolve } from 'node:path';

/**
 * FFmpeg filter that draws subtitles into pictures by libass; both backends use it. The times of the subtitles count from the first picture.
 * @param path path of an ASS file
 */
export function captionFilter(path: string): string {
  // The path passes two parsers, that of the filter's options and that of the graph.
  return `ass=filename=${resolve(path).replaceAll(/[\\':]/g, '\\$&').replaceAll(/[\\'[\],;]/g, '\\$&')}`;
}
