import type { Frame } from 'node-av/lib';
import { openFilterChain, pictureSource, type FilterChain } from '../libav/filterChain.ts';

/** Format of the pictures to make from decoded frames. */
export interface PictureShape {
  /** Size after rotation, pixels. */
  width: number;
  height: number;
  format: 'yuv420p' | 'rgb24';
  /** Scaling: area averages for the analysis, bicubic for pictures shown to people. */
  scaling: 'area' | 'bicubic';
  /** Clockwise rotation, degrees. */
  turn: number;
  /** Whether to map PQ or HLG to an ordinary screen. */
  toneMap: boolean;
}

/** Makes pictures from frames, even if the size or format of the frames changes within the stream. */
interface PictureShaper {
  /** Yields pictures; a picture is valid until the next picture is requested. */
  shape(frame: Frame): Generator<Frame>;
  close(): void;
}

/** Opens the filters that make pictures of the given shape; the caller must close the result. */
export function openPictureShaper(shape: PictureShape, threads: number): PictureShaper {
  let chain: { source: string; filters: FilterChain } | undefined;
  return {
    *shape(frame) {
      const source = pictureSource(frame);
      if (chain?.source !== source) {
        chain?.filters.close();
        chain = { source, filters: openFilterChain(source, pictureFilters(shape), 'video', threads) };
      }
      yield* chain.filters.push(frame);
    },
    close: () => chain?.filters.close(),
  };
}

const turns: Readonly<Record<number, string>> = { 90: ',transpose=clock', 180: ',hflip,vflip', 270: ',transpose=cclock' };

const toneMapping = 'zscale=transfer=linear:npl=100,format=gbrpf32le,zscale=primaries=bt709,tonemap=tonemap=hable:desat=0,'
  + 'zscale=transfer=bt709:matrix=bt709:range=limited';

/**
 * Filters that scale first (the flags give the same pixels on every processor and version), and then apply the operations that
 * are expensive on large pictures: tone mapping and rotation.
 */
function pictureFilters({ width, height, format, scaling, turn, toneMap }: PictureShape): string {
  const size = turn % 180 === 0 ? `${width}:${height}` : `${height}:${width}`;
  const scale = `scale=${size}:flags=${scaling}+accurate_rnd+full_chroma_int+bitexact`;
  return `${toneMap ? `${scale},${toneMapping}` : `${scale}:out_range=tv`},format=${format},setsar=1${turns[turn] ?? ''}`;
}
