import type { PictureEncoding } from './mediaBackend.ts';

/** Container of the pieces of each codec, which is also the ending of their file names. */
export const pieceContainer: Readonly<Record<PictureEncoding['codec'], 'mp4' | 'webm'>> = { h264: 'mp4', vp9: 'webm', av1: 'mp4' };
