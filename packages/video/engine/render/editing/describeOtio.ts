import { betweenCuts, type EditClip, type EditList, type EditMarker, type UnusedClip } from './editList.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Fields of stacks, tracks and clips that a preview leaves empty. */
const composable = { effects: [], markers: [] };

/**
 * The edit list as OpenTimelineIO JSON: one track with the preview, and a disabled track with the moments that are not in the preview. Reasons
 * are markers.
 *
 * Schemas Timeline.1, Clip.2 and Marker.2 of OpenTimelineIO 0.15 and later.
 */
export function describeOtio(list: EditList): string {
  const timeline = node('Timeline.1', {
    name: `Preview of ${list.media}`,
    global_start_time: null,
    tracks: node('Stack.1', {
      ...composable, name: 'tracks',
      children: [
        track('Video', 'Preview', true, chosen(list, false)),
        ...(list.sound === null ? [] : [track('Audio', 'Preview', true, chosen(list, true))]),
        ...(list.unused.length === 0 ? [] : [track('Video', 'Moments not in the preview', false, list.unused.map((unused) => unusedClip(list, unused)))]),
      ],
    }),
  });
  return `${JSON.stringify(timeline, null, 2)}\n`;
}

function chosen(list: EditList, sound: boolean): Json[] {
  return list.clips.flatMap((clip) => {
    const made = selectedClip(list, clip, sound);
    return clip.overlapBefore === 0 ? [made] : [dissolve(list, clip.overlapBefore), made];
  });
}

function track(kind: 'Video' | 'Audio', name: string, enabled: boolean, children: readonly Json[]): Json {
  return node('Track.1', { ...composable, name, kind, enabled, source_range: null, children });
}

function selectedClip(list: EditList, clip: EditClip, sound: boolean): Json {
  const { from, frames } = betweenCuts(clip);
  const markers = sound ? [] : clip.markers.map((marker) => markerNode(list, marker));
  return clipNode(list, { name: clip.name, from, frames, markers, vouch: { score: clip.score } });
}

function unusedClip(list: EditList, { from, frames, score, why, detail }: UnusedClip): Json {
  const marker = markerNode(list, { text: detail, frame: from, share: 0 }, 'RED');
  return clipNode(list, { name: why, from, frames, markers: [marker], vouch: { score, why } });
}

function clipNode(list: EditList, { name, from, frames, markers, vouch }: { name: string; from: number; frames: number; markers: readonly Json[]; vouch: Json }): Json {
  return node('Clip.2', {
    ...composable, name, markers, enabled: true,
    metadata: { vouch },
    source_range: range(list, from, frames),
    media_references: { DEFAULT_MEDIA: node('ExternalReference.1', { name: list.media, target_url: encodeURIComponent(list.media), available_range: range(list, list.mediaStart, list.mediaFrames), available_image_bounds: null }) },
    active_media_reference_key: 'DEFAULT_MEDIA',
  });
}

function markerNode(list: EditList, { text, frame, share }: EditMarker, color = 'GREEN'): Json {
  return node('Marker.2', { name: text, comment: text, color, metadata: { vouch: { share } }, marked_range: range(list, frame, 1) });
}

function dissolve(list: EditList, frames: number): Json {
  const before = Math.floor(frames / 2);
  return node('Transition.1', { name: 'Crossfade', transition_type: 'SMPTE_Dissolve', in_offset: time(list, before), out_offset: time(list, frames - before) });
}

function range(list: EditList, start: number, frames: number): Json {
  return { OTIO_SCHEMA: 'TimeRange.1', start_time: time(list, start), duration: time(list, frames) };
}

function time({ rate }: EditList, value: number): Json {
  return { OTIO_SCHEMA: 'RationalTime.1', rate: rate.numerator / rate.denominator, value };
}

function node(schema: string, fields: Readonly<Record<string, Json>>): Json {
  return { OTIO_SCHEMA: schema, metadata: {}, ...fields };
}
