import type { FfmpegPrograms } from './ffmpegPrograms.ts';

/**
 * Brings PQ and HLG pictures to the range of ordinary screens (BT.709). Without the library zimg in ffmpeg the colours
 * stay pale, which is better than no preview.
 */
export function toneMapping({ filters }: Pick<FfmpegPrograms, 'filters'>): string[] {
  if (!filters.has('zscale') || !filters.has('tonemap')) return [];
  return [
    'zscale=transfer=linear:npl=100', 'format=gbrpf32le', 'zscale=primaries=bt709', 'tonemap=tonemap=hable:desat=0',
    'zscale=transfer=bt709:matrix=bt709:range=limited', 'format=yuv420p',
  ];
}
