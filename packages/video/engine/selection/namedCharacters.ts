/** Names of the characters U+00A0 to U+00FF in HTML 4, in their order. */
const latin = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo
  frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute
  Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave
  iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`.split(/\s+/);

/** Other characters of text, with their code points. */
const others: Readonly<Record<string, number>> = {
  amp: 0x26, lt: 0x3C, gt: 0x3E, quot: 0x22, apos: 0x27,
  OElig: 0x152, oelig: 0x153, Scaron: 0x160, scaron: 0x161, Yuml: 0x178, fnof: 0x192, circ: 0x2C6, tilde: 0x2DC,
  ensp: 0x2002, emsp: 0x2003, thinsp: 0x2009, zwnj: 0x200C, zwj: 0x200D, lrm: 0x200E, rlm: 0x200F,
  ndash: 0x2013, mdash: 0x2014, lsquo: 0x2018, rsquo: 0x2019, sbquo: 0x201A, ldquo: 0x201C, rdquo: 0x201D, bdquo: 0x201E,
  dagger: 0x2020, Dagger: 0x2021, bull: 0x2022, hellip: 0x2026, permil: 0x2030, prime: 0x2032, Prime: 0x2033, lsaquo: 0x2039, rsaquo: 0x203A,
  euro: 0x20AC, trade: 0x2122, larr: 0x2190, uarr: 0x2191, rarr: 0x2192, darr: 0x2193, minus: 0x2212, hearts: 0x2665,
};

/**
 * Characters by their names in HTML 4, such as `eacute`, without Greek letters and mathematical signs. WebVTT allows the names of HTML, and
 * programs that export SubRip from web pages write them.
 */
export const namedCharacters: ReadonlyMap<string, string> = new Map([
  ...latin.map((name, at): [string, string] => [name, String.fromCodePoint(0xA0 + at)]),
  ...Object.entries(others).map(([name, code]): [string, string] => [name, String.fromCodePoint(code)]),
]);
