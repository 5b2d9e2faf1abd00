/** What pictures are made of a decoded frame. */
export interface PictureShape {
  /** After the turn, pixels. */
  width: number;
  height: number;
  format: 'yuv420p' | 'rgb24';
  /** Clockwise, degrees. */
  turn: number;
  /** From PQ or HLG to an ordinary screen. */
  toneMap: boolean;
}

const turns: Readonly<Record<number, string>> = { 90: ',transpose=clock', 180: ',hflip,vflip', 270: ',transpose=cclock' };

/**
 * Scales by area (these flags give the same pixels on every processor and version), then turns, which costs less on the
 * small picture than on the large one.
 */
export function pictureFilters({ width, height, format, turn, toneMap }: PictureShape): string {
  const lying = turn % 180 !== 0;
  const size = lying ? `${height}:${width}` : `${width}:${height}`;
  const scale = `scale=${size}:flags=area+accurate_rnd+full_chroma_int+bitexact`;
  const tone = `${scale},zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv`;
  return `${toneMap ? tone : `${scale}:out_range=tv`},format=${format}${turns[turn] ?? ''}`;
}
