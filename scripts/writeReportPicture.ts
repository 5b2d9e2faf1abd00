// Writes docs/images/report.png: the report of a preview of the sample clip, from the curve of the importance to the second segment.
// The browser comes from npm on Linux x64; elsewhere, VOUCH_TEST_CHROMIUM names a Chromium. Needs an installed ffmpeg. Look at the picture before you commit it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { systemInterfaces } from '../packages/platform/process/systemInterfaces.ts';
import { clipName } from '../packages/video/sample/generateClip.ts';
import { writeSampleClip } from '../packages/video/sample/writeSampleClip.ts';
import { runFfmpeg } from '../bench/video/runFfmpeg.ts';
import { openBrowser } from '../tests/e2e/harness/openBrowser.ts';

const width = 1000;
const previewSeconds = 20;
const shownSegments = 2;
const margin = 12;

const folder = await mkdtemp(join(tmpdir(), 'vouch-report-'));
const browser = await openBrowser();
if (typeof browser === 'string') throw new Error(browser);
try {
  const clip = join(folder, clipName);
  await writeSampleClip(clip, systemInterfaces.timers);
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'packages/vouch/main.ts', 'summarize', clip, '--duration', String(previewSeconds), '--out', join(folder, 'preview')]);
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.goto(pathToFileURL(join(folder, 'preview', 'report.html')).href);
  const top = await page.getByRole('heading', { name: 'Importance over the video' }).boundingBox();
  const last = await page.locator('ol.segments > li').nth(shownSegments - 1).boundingBox();
  if (top === null || last === null) throw new Error('The report has no curve of the importance, or fewer segments than the picture shows.');
  await page.screenshot({ path: join(folder, 'report.png'), fullPage: true, clip: { x: 0, y: top.y - margin, width, height: last.y + last.height + margin - top.y + margin } });
  // A palette of 256 colours: a third of the bytes, and no visible difference.
  await runFfmpeg(['-i', join(folder, 'report.png'), '-vf', 'split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none', 'docs/images/report.png'], []);
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
