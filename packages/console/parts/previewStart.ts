/** A segment with its place in the video, in seconds. */
interface Span {
  start: number;
  end: number;
}

/**
 * The second of the preview at which a segment begins.
 * @param segments in the order of the preview
 * @param crossfade requested length of the crossfades, seconds; each is at most half of either segment
 */
export function previewStart(segments: readonly Span[], at: number, crossfade: number): number {
  const lengths = segments.map(({ start, end }) => end - start);
  return lengths.slice(0, at).reduce((sum, length, place) => sum + length - Math.min(crossfade, length / 2, lengths[place + 1]! / 2), 0);
}
