const maxStem = 80;

/** The last part of the path of a media URL, e.g. `Alpine Trip.mp4`; empty if the path ends with a slash. */
export function mediaFileName(mediaUrl: string): string {
  return decode(new URL(mediaUrl).pathname.split('/').at(-1) ?? '');
}

/**
 * The file name that a browser uses to save a run's file: the name of the video, then the name of the file.
 * @param mediaUrl e.g. `https://example.org/films/Alpine%20Trip.mp4?token=…`
 * @param name name of the file, e.g. `preview.mp4`
 * @returns e.g. `Alpine Trip-preview.mp4`; contains only characters that every file system supports
 */
export function downloadName(mediaUrl: string, name: string): string {
  const stem = mediaFileName(mediaUrl).replace(/\.[A-Za-z0-9]{1,5}$/, '').replaceAll(/[^\p{L}\p{N} ._()-]+/gu, '_').replace(/^[ ._-]+|[ ._-]+$/g, '');
  const short = [...stem].slice(0, maxStem).join('');
  return short === '' ? name : `${short}-${name}`;
}

/** Value of `Content-Disposition` that shows the file inline (RFC 6266, RFC 8187). */
export function contentDisposition(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return `inline; filename="${ascii}"${ascii === fileName ? '' : `; filename*=UTF-8''${encoded}`}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
