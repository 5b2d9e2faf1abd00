import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatherTiles } from './gatherTiles.ts';
import type { RenderedFile } from './rendering.ts';
import { composeSprite, layStoryboard, storyboardVtt } from './storyboardGrid.ts';
import type { PictureSource } from './takePictures.ts';

interface StoryboardRequest extends PictureSource {
  folder: string;
  progress(share: number): void;
}

/** Makes the storyboard of the whole source: one picture file of many small pictures, and WebVTT that says which is when. */
export async function renderStoryboard(request: StoryboardRequest): Promise<RenderedFile[]> {
  const { backend, source, folder, signal } = request;
  const grid = layStoryboard(source.info.duration, source.info.video);
  const tiles = await gatherTiles(request, grid, request.progress);
  const sprite = join(folder, 'storyboard.jpg');
  const { rgb, width, height } = composeSprite(grid, tiles);
  await backend.encodeStill({ rgb, width, height, output: sprite, signal });
  const vtt = join(folder, 'storyboard.vtt');
  await writeFile(vtt, storyboardVtt(grid, 'storyboard.jpg'));
  return [
    { kind: 'storyboard-sprite', path: sprite, contentType: 'image/jpeg', width, height },
    { kind: 'storyboard-vtt', path: vtt, contentType: 'text/vtt' },
  ];
}
