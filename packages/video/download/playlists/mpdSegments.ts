import type { XmlElement } from './parseXml.ts';
import { countOf, maxAddress, maxParts, playlistProblem, type Part, type Resolve } from './playlist.ts';

/** A representation whose segments are listed. */
export interface Segmented {
  /** Period, AdaptationSet and Representation; the inner ones have precedence. */
  levels: readonly XmlElement[];
  base: string;
  /** Length of the period, seconds; null if unknown. */
  seconds: number | null;
  bandwidth: number;
  id: string;
  resolve: Resolve;
  /** Name of the track in sentences. */
  place: string;
}

/**
 * Lists the parts of a representation: by a template, by a list, or the whole file.
 * @throws Problem `playlist-refused`, or that of `resolve`
 */
export function expandSegments(segmented: Segmented): Part[] {
  const template = inherited(segmented.levels, 'SegmentTemplate');
  if (template !== null) return byTemplate(segmented, template);
  const list = inherited(segmented.levels, 'SegmentList');
  if (list !== null) return byList(segmented, list);
  if (segmented.levels.every((level) => childrenOf(level, 'BaseURL').length === 0)) throw playlistProblem(`names no file for ${segmented.place}`);
  return [{ url: segmented.base, range: null }];
}

/** Lists the children of an element that have a name. */
export function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}

/** Attributes and children of an element on all levels, the inner ones with precedence; null if no level has the element. */
interface Inherited {
  attribute(name: string): string | undefined;
  count(name: string): number | null;
  children(name: string): readonly XmlElement[];
}

function inherited(levels: readonly XmlElement[], name: string): Inherited | null {
  const elements = levels.flatMap((level) => childrenOf(level, name)).toReversed();
  if (elements.length === 0) return null;
  const attribute = (key: string): string | undefined => elements.find(({ attributes }) => attributes.has(key))?.attributes.get(key);
  return {
    attribute,
    count: (key) => countOf(attribute(key)),
    children: (key) => elements.map((element) => childrenOf(element, key)).find((found) => found.length > 0) ?? [],
  };
}

function byTemplate(segmented: Segmented, template: Inherited): Part[] {
  const { resolve, base, place } = segmented;
  const media = template.attribute('media');
  if (media === undefined) throw playlistProblem(`has a SegmentTemplate without media for ${place}`);
  const make = (pattern: string, number: number, time: number): Part => ({ url: resolve(fill(pattern, segmented, number, time), base, place), range: null });
  const initialization = template.attribute('initialization');
  const first = template.count('startNumber') ?? 1;
  return [
    ...(initialization === undefined ? [] : [make(initialization, 0, 0)]),
    ...segmentTimes(segmented, template).map((time, index) => make(media, first + index, time)),
  ];
}

/** Start times of the segments in units of the template. */
function segmentTimes(segmented: Segmented, template: Inherited): number[] {
  const scale = Math.max(1, template.count('timescale') ?? 1);
  const [timeline] = template.children('SegmentTimeline');
  const offset = template.count('presentationTimeOffset') ?? 0;
  const end = segmented.seconds === null ? null : offset + segmented.seconds * scale;
  if (timeline !== undefined) return timelineTimes(timeline, end);
  const duration = template.count('duration') ?? 0;
  if (duration <= 0 || end === null) throw playlistProblem(`states no length of the segments for ${segmented.place}, or none of the recording`);
  const last = template.count('endNumber');
  const length = last === null ? Math.ceil((end - offset) / duration - 1e-6) : last - (template.count('startNumber') ?? 1) + 1;
  if (length > maxParts) throw tooMany();
  return Array.from({ length: Math.max(0, length) }, (_, index) => offset + index * duration);
}

function timelineTimes(timeline: XmlElement, end: number | null): number[] {
  const entries = childrenOf(timeline, 'S');
  const times: number[] = [];
  let time = 0;
  for (const [index, { attributes }] of entries.entries()) {
    const duration = countOf(attributes.get('d')) ?? 0;
    if (duration <= 0) throw playlistProblem('has a segment without length in its SegmentTimeline');
    time = countOf(attributes.get('t')) ?? time;
    const repeats = Number(/^-?\d{1,9}$/.exec(attributes.get('r') ?? '0')?.[0] ?? Number.NaN);
    if (Number.isNaN(repeats)) throw playlistProblem('has a repetition that cannot be read in its SegmentTimeline');
    const until = countOf(entries[index + 1]?.attributes.get('t')) ?? end;
    if (repeats < 0 && until === null) throw playlistProblem('repeats a segment without end in its SegmentTimeline');
    const length = repeats < 0 ? Math.ceil(((until ?? 0) - time) / duration - 1e-6) : repeats + 1;
    if (times.length + length > maxParts) throw tooMany();
    for (let n = 0; n < length; n += 1, time += duration) times.push(time);
  }
  return times;
}

function byList({ resolve, base, place }: Segmented, list: Inherited): Part[] {
  const make = (address: string | undefined, range: string | undefined): Part => ({
    url: address === undefined ? base : resolve(address, base, place), range: range === undefined ? null : rangeOf(range),
  });
  const segments = list.children('SegmentURL');
  if (segments.length === 0) throw playlistProblem(`has no segments for ${place}`);
  if (segments.length > maxParts) throw tooMany();
  return [
    ...list.children('Initialization').slice(0, 1).map(({ attributes }) => make(attributes.get('sourceURL'), attributes.get('range'))),
    ...segments.map(({ attributes }) => make(attributes.get('media'), attributes.get('mediaRange'))),
  ];
}

/** Fills the identifiers of a template, such as `$Number%05d$`. */
function fill(pattern: string, { id, bandwidth, place }: Segmented, number: number, time: number): string {
  // A long id that a long pattern repeats would make a string of TB.
  if (pattern.length + id.length > maxAddress) throw playlistProblem(`has a template of more than ${maxAddress} characters for ${place}`);
  return pattern.replaceAll(/\$(?:(RepresentationID|Number|Time|Bandwidth)(?:%0(\d{1,2})d)?)?\$/g, (_whole, name: string | undefined, width = '1') => {
    if (name === undefined) return '$';
    if (name === 'RepresentationID') return id;
    return String({ Number: number, Time: time, Bandwidth: bandwidth }[name]).padStart(Number(width), '0');
  });
}

function rangeOf(text: string): { from: number; length: number } {
  const [, from, last] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (from === undefined || Number(last) < Number(from)) throw playlistProblem(`has the byte range ${JSON.stringify(text.slice(0, 40))}, which cannot be read`);
  return { from: Number(from), length: Number(last) - Number(from) + 1 };
}

function tooMany(): Error {
  return playlistProblem(`has more than ${maxParts} segments`);
}
