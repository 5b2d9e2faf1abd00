import { describe, expect, it } from 'vitest';
import { parseMpd } from './parseMpd.ts';
import { parseXml } from './parseXml.ts';

const base = 'https://films.example/a/film.mpd';
const resolve = (address: string, from: string): string => new URL(address, from).href;

/** A manifest with one video; `inside` is the content of its representation. */
function manifest(inside: string, { mpd = 'type="static" mediaPresentationDuration="PT10S"', set = '', more = '' } = {}): string {
  return `<?xml version="1.0"?><!-- a - b --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" ${mpd}><Period><AdaptationSet mimeType="video/mp4">${set}`
    + `<Representation id="v1" bandwidth="400000" width="320" height="180">${inside}</Representation></AdaptationSet>${more}</Period></MPD>`;
}

const videoParts = (text: string): string[] => parseMpd(text, base, resolve).video.parts.map(({ url, range }) =>
  url.slice('https://films.example/'.length) + (range === null ? '' : ` ${range.from}+${range.length}`));

describe('the segments of a manifest', () => {
  it.each<[string, string, { mpd?: string; set?: string }, string[]]>([
    ['numbers', '<SegmentTemplate media="$RepresentationID$/$Number%03d$.m4s" initialization="i-$Bandwidth$.mp4" duration="4" startNumber="7"/>', {},
      ['a/i-400000.mp4', 'a/v1/007.m4s', 'a/v1/008.m4s', 'a/v1/009.m4s']],
    ['numbers up to an end', '<SegmentTemplate media="$Number$" duration="4" endNumber="2"/>', {}, ['a/1', 'a/2']],
    ['times of a timeline', '<SegmentTemplate media="$Time$-$$.m4s" timescale="10"><SegmentTimeline><S t="5" d="20" r="1"/><S d="30"/></SegmentTimeline></SegmentTemplate>', {},
      ['a/5-$.m4s', 'a/25-$.m4s', 'a/45-$.m4s']],
    ['a repetition up to the end', '<SegmentTemplate media="$Number$"><SegmentTimeline><S t="0" d="4" r="-1"/></SegmentTimeline></SegmentTemplate>', {}, ['a/1', 'a/2', 'a/3']],
    ['a template of the set, changed by the representation', '<SegmentTemplate startNumber="2"/>', { set: '<SegmentTemplate media="s$Number$" duration="5"/>' }, ['a/s2', 'a/s3']],
    ['a list of ranges', '<BaseURL>one.mp4</BaseURL><SegmentList><Initialization range="0-9"/><SegmentURL mediaRange="10-19"/><SegmentURL mediaRange="20-49"/></SegmentList>', {},
      ['a/one.mp4 0+10', 'a/one.mp4 10+10', 'a/one.mp4 20+30']],
    ['a whole file', '<BaseURL>../b/one.mp4?x=1&amp;y=2</BaseURL><SegmentBase indexRange="1-2"/>', {}, ['b/one.mp4?x=1&y=2']],
  ])('by %s', (_name, inside, more, parts) => {
    expect(videoParts(manifest(inside, more))).toEqual(parts);
  });

  it('are those of the largest video within 1080 lines, and of its sound', () => {
    const video = (id: string, height: number): string => `<Representation id="${id}" bandwidth="1" width="${height * 2}" height="${height}"><BaseURL>${id}</BaseURL></Representation>`;
    const text = '<MPD><Period><AdaptationSet contentType="audio">'
      + '<Representation bandwidth="64000"><BaseURL>low</BaseURL></Representation><Representation bandwidth="128000"><BaseURL>high</BaseURL></Representation><Representation bandwidth="900000"><BaseURL>huge</BaseURL></Representation>'
      + '</AdaptationSet><AdaptationSet mimeType="video/mp4"><EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode"/>' + video('trick', 720)
      + `</AdaptationSet><AdaptationSet mimeType="video/mp4">${video('small', 360)}${video('full', 1080)}${video('over', 2160)}</AdaptationSet></Period></MPD>`;
    const { video: chosen, audio, offered } = parseMpd(text, base, resolve);
    expect([chosen.parts[0]?.url, audio?.parts[0]?.url, offered]).toEqual(['https://films.example/a/full', 'https://films.example/a/high', 3]);
  });
});

describe('a manifest is refused', () => {
  const file = '<BaseURL>one.mp4</BaseURL>';
  it.each([
    ['that is live', manifest(file, { mpd: 'type="dynamic"' }), 'is live'],
    ['that is encrypted', manifest(file, { set: '<ContentProtection schemeIdUri="urn:x"/>' }), 'is encrypted'],
    ['with several periods', manifest(file).replace('</Period>', '</Period><Period/>'), 'has 2 periods'],
    ['with remote elements', manifest(file, { more: '<AdaptationSet xlink:href="http://127.0.0.1/"/>' }), 'remote element'],
    ['with a DTD', manifest(file).replace('<MPD', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><MPD'), 'cannot be read at character'],
    ['with an unknown entity', manifest('<BaseURL>&e;</BaseURL>'), 'the unknown entity &e;'],
    ['that is not complete', manifest(file).slice(0, -6), 'not complete'],
    ['whose elements are not nested', '<MPD><Period></MPD></Period>', 'is closed but not open'],
    ['without files', manifest(''), 'names no file'],
    ['with too many segments', manifest('<SegmentTemplate media="$Number$" duration="1" timescale="100000"/>'), 'more than 20000 segments'],
    ['with a template that repeats an id without measure', manifest(`<SegmentTemplate media="${'$RepresentationID$'.repeat(300)}" duration="4"/>`), 'a template of more than 4096 characters'],
    ['with a timeline without end', manifest('<SegmentTemplate media="$Number$"><SegmentTimeline><S t="0" d="1" r="-1"/></SegmentTimeline></SegmentTemplate>', { mpd: '' }), 'repeats a segment without end'],
    ['with a timeline of a billion', manifest('<SegmentTemplate media="$Number$"><SegmentTimeline><S t="0" d="1" r="999999999"/></SegmentTimeline></SegmentTemplate>'), 'more than 20000 segments'],
  ])('%s', (_name, text, sentence) => {
    expect(() => parseMpd(text, base, resolve)).toThrow(expect.objectContaining({ code: 'playlist-refused', detail: expect.stringContaining(sentence) as string }) as Error);
  });

  it('without video: no-video-stream', () => {
    expect(() => parseMpd(manifest(file).replace('video/mp4', 'audio/mp4'), base, resolve)).toThrow(expect.objectContaining({ code: 'no-video-stream' }) as Error);
  });
});

it('an element has its attributes, its text and its children, without prefixes', () => {
  const { name, attributes, text, children } = parseXml('\uFEFF<?xml version="1.0"?>\n<a:b c="1 &gt; 0" x:d=\'"\'>one<e/><![CDATA[ & two]]>&#x21;</a:b>\n');
  expect([name, [...attributes], text, children.map((child) => child.name)]).toEqual(['b', [['c', '1 > 0'], ['d', '"']], 'one & two!', ['e']]);
});
