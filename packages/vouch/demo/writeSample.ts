import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { generateSample } from '@vouch/recommender/sample/generateSample';
import { NoMediaBackend } from '@vouch/video/engine/backend/openMediaBackend';
import { writeSampleClip } from '@vouch/video/sample/writeSampleClip';

const seed = 7;

/**
 * Writes the sample data of the demo to a folder: `films.csv`, `views.csv` and `clip.mp4`. Creates the folder if missing.
 * @param print is called with one line per file
 */
export async function writeSample(folder: string, print: (line: string) => void): Promise<void> {
  await makeFolder(folder);
  const sample = generateSample({ seed, nowMs: systemInterfaces.clock.now() });
  for (const [name, text] of [['films.csv', sample.entitiesCsv], ['views.csv', sample.interactionsCsv]] as const) {
    const path = join(folder, name);
    await writeFile(path, text);
    print(path);
  }
  const clip = join(folder, 'clip.mp4');
  try {
    await writeSampleClip(clip, systemInterfaces.timers);
    print(clip);
  } catch (error) {
    if (!(error instanceof NoMediaBackend)) throw error;
    print(`No video was written: ${error.message}`);
  }
}
