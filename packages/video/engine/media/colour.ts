/**
 * How pixel values map to colours, as code points of ITU-T H.273: primaries, transfer characteristics and matrix coefficients.
 * 2 means "unspecified"; players then guess from the size of the picture.
 */
export interface Colour {
  primaries: number;
  transfer: number;
  matrix: number;
}

export const unspecified = 2;

export const unspecifiedColour: Colour = { primaries: unspecified, transfer: unspecified, matrix: unspecified };

/** Colour of HD video and of the result of tone mapping: BT.709. */
const highDefinition: Colour = { primaries: 1, transfer: 1, matrix: 1 };

/** Matrix code of RGB (0). RGB pictures are converted to YUV with the coefficients of BT.601 (6). */
const rgbMatrix = 0;
const rgbBecomes = 6;

/** Code points by their names in FFmpeg. */
const names: Readonly<Record<keyof Colour, Readonly<Record<string, number>>>> = {
  primaries: {
    bt709: 1, bt470m: 4, bt470bg: 5, smpte170m: 6, smpte240m: 7, film: 8, bt2020: 9, smpte428: 10, smpte431: 11, smpte432: 12,
  },
  transfer: {
    bt709: 1, bt470m: 4, gamma22: 4, bt470bg: 5, gamma28: 5, smpte170m: 6, smpte240m: 7, linear: 8, log100: 9, log316: 10,
    'iec61966-2-4': 11, bt1361e: 12, 'iec61966-2-1': 13, 'bt2020-10': 14, 'bt2020-12': 15, smpte2084: 16, smpte428: 17, 'arib-std-b67': 18,
  },
  matrix: { gbr: 0, bt709: 1, fcc: 4, bt470bg: 5, smpte170m: 6, smpte240m: 7, ycgco: 8, bt2020nc: 9, bt2020c: 10 },
};

/** The code point of a name in FFmpeg; `unspecified` for unknown names. */
export function colourNumber(part: keyof Colour, name: string): number {
  return Object.hasOwn(names[part], name) ? names[part][name]! : unspecified;
}

/** Whether the transfer function is PQ or HLG, whose pictures are brighter than ordinary screens can show. */
export function isHighDynamicRange({ transfer }: Colour): boolean {
  return transfer === names.transfer['smpte2084'] || transfer === names.transfer['arib-std-b67'];
}

/**
 * Colour tags of a preview, the same for all pieces: pictures of one file may have different tags, and pieces with different
 * tags cannot be joined.
 */
export function previewColour(source: Colour): Colour {
  if (isHighDynamicRange(source)) return highDefinition;
  return source.matrix === rgbMatrix ? { ...source, matrix: rgbBecomes } : source;
}
