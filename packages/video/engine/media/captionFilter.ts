import { resolve } from 'node:path';

/**
 * Describes the FFmpeg filter with which both backends draw subtitles into pictures (libass). The times of the subtitles count from the first picture.
 * @param path path of an ASS file
 */
export function captionFilter(path: string): string {
  // FFmpeg parses the path twice: as a part of the filter graph, then as an option of the filter.
  return `ass=filename=${resolve(path).replaceAll(/[\\':]/g, '\\$&').replaceAll(/[\\'[\],;]/g, '\\$&')}`;
}
