import type { Frame } from 'node-av/lib';
import { openFilterChain, pictureSource, type FilterChain } from '../libav/filterChain.ts';

/** What pictures are made of a decoded frame. */
export interface PictureShape {
  /** After the turn, pixels. */
  width: number;
  height: number;
  format: 'yuv420p' | 'rgb24';
  /** Area averages for analysis, bicubic for what people see. */
  scaling: 'area' | 'bicubic';
  /** Clockwise, degrees. */
  turn: number;
  /** From PQ or HLG to an ordinary screen. */
  toneMap: boolean;
}

/** Makes pictures of frames, also where their size or format changes on the way. */
interface PictureShaper {
  /** The picture is valid until the next one is asked for. */
  shape(frame: Frame): Generator<Frame>;
  close(): void;
}

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
 * Scales (these flags give the same pixels on every processor and version), then does what is dear on large pictures:
 * tone mapping and turning.
 */
function pictureFilters({ width, height, format, scaling, turn, toneMap }: PictureShape): string {
  const size = turn % 180 === 0 ? `${width}:${height}` : `${height}:${width}`;
  const scale = `scale=${size}:flags=${scaling}+accurate_rnd+full_chroma_int+bitexact`;
  return `${toneMap ? `${scale},${toneMapping}` : `${scale}:out_range=tv`},format=${format},setsar=1${turns[turn] ?? ''}`;
}
