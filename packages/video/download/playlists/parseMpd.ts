import { mediaErrors } from '../../engine/mediaErrors.ts';
import { chooseVariant } from './chooseVariant.ts';
import { childrenOf, expandSegments, type Segmented } from './mpdSegments.ts';
import { parseXml, type XmlElement } from './parseXml.ts';
import { playlistProblem, type Recording, type Resolve, type Track, type Variant } from './playlist.ts';

/** Largest bandwidth of the chosen sound, bits per second; more is inaudible in a preview. */
const largestSound = 256_000;

interface Representation extends Variant {
  /** Period, AdaptationSet and Representation. */
  levels: readonly [XmlElement, XmlElement, XmlElement];
}

/**
 * Parses a DASH manifest (ISO/IEC 23009-1) of a complete recording and chooses its tracks.
 * @param base URL of the manifest
 * @throws Problem `playlist-refused`, `no-video-stream`, or that of `resolve`
 */
export function parseMpd(text: string, base: string, resolve: Resolve): Recording {
  const mpd = parseXml(text);
  if (mpd.name !== 'MPD') throw playlistProblem('is XML, but not a DASH manifest');
  if (mpd.attributes.get('type') === 'dynamic') throw playlistProblem('is live (type="dynamic")');
  refuseRemote(mpd);
  const periods = childrenOf(mpd, 'Period');
  const [period] = periods;
  if (period === undefined || periods.length > 1) throw playlistProblem(`has ${periods.length} periods; Vouch reads manifests with one`);
  const seconds = secondsOf(period.attributes.get('duration')) ?? secondsOf(mpd.attributes.get('mediaPresentationDuration'));
  const video = representations(period, 'video');
  if (video.length === 0) throw mediaErrors.problem('no-video-stream', 'The manifest of media_url has no video. Use a manifest with a video.');
  const chosen = chooseVariant(video);
  const sounds = representations(period, 'audio');
  const bySound = sounds.toSorted((a, b) => a.bandwidth - b.bandwidth);
  const sound = bySound.findLast(({ bandwidth }) => bandwidth <= largestSound) ?? bySound[0];
  const track = (of: Representation, place: string): Track => trackOf(mpd, of, { base, seconds, resolve, place });
  return { video: track(chosen, 'the chosen video'), audio: sound === undefined ? null : track(sound, 'the chosen sound'), chosen, offered: video.length };
}

function trackOf(mpd: XmlElement, { levels, bandwidth }: Representation, given: { base: string; seconds: number | null; resolve: Resolve; place: string }): Track {
  const { resolve, seconds, place } = given;
  if ([mpd, ...levels].some((level) => childrenOf(level, 'ContentProtection').length > 0)) {
    throw playlistProblem('is encrypted (ContentProtection), and Vouch does not decrypt segments');
  }
  const base = [mpd, ...levels].reduce((outer, level) => {
    const [inner] = childrenOf(level, 'BaseURL');
    return inner === undefined ? outer : resolve(inner.text.trim(), outer, place);
  }, given.base);
  const segmented: Segmented = { levels, base, seconds, bandwidth, id: levels[2].attributes.get('id') ?? '', resolve, place };
  return { parts: expandSegments(segmented), seconds: seconds ?? 0 };
}

/** Elements that refer to remote elements would need further requests before their addresses are known. */
function refuseRemote(element: XmlElement): void {
  if (element.attributes.has('href')) throw playlistProblem(`refers to a remote element (xlink) in ${element.name.slice(0, 40)}`);
  for (const child of element.children) refuseRemote(child);
}

/** The representations of the first adaptation set of video, or of sound. */
function representations(period: XmlElement, kind: 'video' | 'audio'): Representation[] {
  for (const set of childrenOf(period, 'AdaptationSet')) {
    // Sets for fast forward show key frames alone.
    if (childrenOf(set, 'EssentialProperty').some(({ attributes }) => attributes.get('schemeIdUri')?.includes('trickmode'))) continue;
    const found = childrenOf(set, 'Representation').filter((representation) => kindOf(set, representation) === kind);
    if (found.length > 0) return found.map((representation) => ({
      levels: [period, set, representation], bandwidth: numberOf(representation, 'bandwidth') ?? 0,
      width: numberOf(representation, 'width') ?? numberOf(set, 'width') ?? 0, height: numberOf(representation, 'height') ?? numberOf(set, 'height') ?? 0,
    }));
  }
  return [];
}

function kindOf(set: XmlElement, representation: XmlElement): string | undefined {
  const told = representation.attributes.get('mimeType') ?? set.attributes.get('mimeType') ?? set.attributes.get('contentType');
  return told?.split('/')[0];
}

function numberOf({ attributes }: XmlElement, name: string): number | null {
  const text = attributes.get(name);
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** Seconds of a duration such as `PT1H2M3.5S`; null without one. */
function secondsOf(text: string | undefined): number | null {
  const [whole, days = '0', hours = '0', minutes = '0', seconds = '0'] = /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/.exec(text ?? '') ?? [];
  return whole === undefined ? null : Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
