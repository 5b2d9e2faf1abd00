const prefix = 'upload:';

/** Returns the `media_url` that names an upload. */
export function uploadUrl(uploadId: string): string {
  return prefix + uploadId;
}

/** Returns the id in a `media_url` that names an upload; null for other URLs. */
export function uploadIdOf(mediaUrl: string): string | null {
  return mediaUrl.startsWith(prefix) ? mediaUrl.slice(prefix.length) : null;
}
