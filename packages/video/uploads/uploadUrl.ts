const prefix = 'upload:';

/**
 * Returns the `media_url` that names an upload, e.g. `upload:0f0a7c0e/Alpine%20Trip.mp4`.
 * @param fileName name of the file at the sender, which names the files of runs; null if the sender gave none
 */
export function uploadUrl(uploadId: string, fileName: string | null = null): string {
  return `${prefix}${uploadId}${fileName === null ? '' : `/${encodeURIComponent(fileName)}`}`;
}

/** Returns the id in a `media_url` that names an upload; null for other URLs. */
export function uploadIdOf(mediaUrl: string): string | null {
  return mediaUrl.startsWith(prefix) ? (mediaUrl.slice(prefix.length).split('/', 1)[0] ?? '') : null;
}
