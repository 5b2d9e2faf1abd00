import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatherTiles } from './gatherTiles.ts';
import type { Transition } from '../shots/shot.ts';
import type { RenderedFile } from './rendering.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import { composeSprite, layStoryboard, spriteSize, storyboardVtt } from './storyboardGrid.ts';
import type { PictureSource } from './takePictures.ts';

/** Part of the cache key. Increase it when the way the sprite is made changes, so that old sprites are not reused. */
const storyboardVersion = 2;

interface StoryboardRequest extends PictureSource {
  folder: string;
  transitions: readonly Transition[];
  /** Folder in which the sprite is kept for later runs; no option changes the sprite. */
  pieces: string;
  progress(share: number): void;
}

/**
 * Renders the storyboard of the whole source: one image with many small pictures, and WebVTT with the time of each picture.
 */
export async function renderStoryboard(request: StoryboardRequest): Promise<{ files: RenderedFile[]; pieces: EncodedPiece[] }> {
  const { backend, source, folder, signal } = request;
  const grid = layStoryboard(source.info.duration, source.info.video);
  const { width, height } = spriteSize(grid);
  const changes = [...new Set(request.transitions.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const kept = await keepPiece(request.pieces, ['storyboard', storyboardVersion, backend.name, backend.version, source.hash, changes], '.jpg', async (output) => {
    const tiles = await gatherTiles(request, grid, request.progress, changes);
    await backend.encodeStill({ ...composeSprite(grid, tiles), output, signal });
    return true;
  });
  const sprite = join(folder, 'storyboard.jpg');
  await copyFile(kept.path, sprite);
  const vtt = join(folder, 'storyboard.vtt');
  await writeFile(vtt, storyboardVtt(grid, 'storyboard.jpg'));
  const files: RenderedFile[] = [
    { kind: 'storyboard-sprite', path: sprite, contentType: 'image/jpeg', width, height },
    { kind: 'storyboard-vtt', path: vtt, contentType: 'text/vtt' },
  ];
  return { files, pieces: [kept] };
}
