import { FilterGraph, Frame, type FilterContext } from 'node-av/lib';
import { check, isNothing } from './check.ts';

/** Filters between a source and a sink. */
export interface FilterChain {
  /**
   * Yields the output for one frame or, for null, the remaining output. A frame is valid until the next frame is requested.
   */
  push(frame: Frame | null): Generator<Frame>;
  close(): void;
}

/**
 * Builds a chain in FFmpeg's filter syntax.
 * @param source arguments of the `buffer` or `abuffer` filter
 * @param filters filters between source and sink; may start with `[in]` and end with `[out]` if the filters are not a simple
 *   chain
 */
export function openFilterChain(source: string, filters: string, kind: 'video' | 'audio', threads: number): FilterChain {
  const graph = new FilterGraph();
  graph.alloc();
  graph.nbThreads = threads;
  const prefix = kind === 'video' ? '' : 'a';
  check(graph.parse2(`${prefix}buffer@in=${source}[in];[in]${filters}[out];[out]${prefix}buffersink@out`), 'reading the filters');
  check(graph.configSync(), 'joining the filters');
  const first = filterOf(graph, `${prefix}buffer@in`);
  const last = filterOf(graph, `${prefix}buffersink@out`);
  const out = new Frame();
  out.alloc();
  return {
    *push(frame) {
      check(first.buffersrcAddFrameSync(frame), 'filtering');
      for (;;) {
        const code = last.buffersinkGetFrameSync(out);
        if (isNothing(code)) return;
        check(code, 'filtering');
        yield out;
        out.unref();
      }
    },
    close() {
      out.free();
      graph.free();
    },
  };
}

function filterOf(graph: FilterGraph, name: string): FilterContext {
  const found = graph.getFilter(name);
  if (found === null) throw new Error(`the filter graph has no ${name}`);
  return found;
}

/** Arguments of the `buffer` filter for frames of the same size and format as the given frame. */
export function pictureSource({ width, height, format, sampleAspectRatio, colorSpace, colorRange }: Frame): string {
  const { num, den } = sampleAspectRatio;
  return `video_size=${width}x${height}:pix_fmt=${format}:time_base=1/1000000:pixel_aspect=${num > 0 && den > 0 ? `${num}/${den}` : '1/1'}`
    + `:colorspace=${colorSpace}:range=${colorRange}`;
}
