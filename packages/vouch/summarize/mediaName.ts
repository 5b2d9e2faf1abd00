import { basename, extname } from 'node:path';

const longest = 80;

/** Whether a text is a URL of a scheme that the command reads, and not the path of a file. */
export function isAddress(media: string): boolean {
  return /^(?:https?|s3):\/\//i.test(media);
}

/** Returns a display name: the last part of a path or URL, without the query, which may hold a signature. */
export function mediaName(media: string): string {
  const path = isAddress(media) ? pathOf(media) : media;
  const name = basename(path);
  return name === '' ? 'video' : name.slice(0, longest);
}

/** Default folder for the output: `film.mp4` gives `film-preview`. */
export function defaultFolder(media: string): string {
  const name = mediaName(media);
  const stem = name.slice(0, name.length - extname(name).length).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[.-]+|-+$/g, '');
  return `${stem === '' ? 'video' : stem}-preview`;
}

function pathOf(address: string): string {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    return '';
  }
}
