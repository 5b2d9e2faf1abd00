interface Scaling {
  width: number;
  height: number;
  scaling: 'area' | 'bicubic';
  /** Tone mapping filters from PQ or HLG to an ordinary screen, from `toneMapping`. */
  toneMap: readonly string[];
}

/**
 * Filters that scale; the flags give the same pixels on every processor and version. Tone mapping is expensive and follows the
 * scaling.
 */
export function scaledTo({ width, height, scaling, toneMap }: Scaling): string[] {
  const scale = `scale=${width}:${height}:flags=${scaling}+accurate_rnd+full_chroma_int+bitexact`;
  return toneMap.length > 0 ? [scale, ...toneMap] : [`${scale}:out_range=tv`];
}

/** No tone mapping. */
export const noMapping: readonly string[] = [];

/**
 * Filters that map PQ and HLG pictures to the range of ordinary screens (BT.709). If ffmpeg lacks the zimg library, the
 * colours stay pale, which is better than no preview.
 */
export function toneMapping(filters: ReadonlySet<string>): readonly string[] {
  if (!filters.has('zscale') || !filters.has('tonemap')) return noMapping;
  return [
    'zscale=transfer=linear:npl=100', 'format=gbrpf32le', 'zscale=primaries=bt709', 'tonemap=tonemap=hable:desat=0',
    'zscale=transfer=bt709:matrix=bt709:range=limited',
  ];
}
