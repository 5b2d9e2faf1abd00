import { realDoors } from '@vouch/platform/process/doors';
import { describe, it } from 'vitest';
import { describeMediaBackend } from '../mediaBackend.suite.ts';
import { openFfmpeg } from './ffmpegBackend.ts';
import { missingFfmpeg } from './installedFfmpeg.ts';

const missing = await missingFfmpeg();
const { timers } = realDoors;

if (missing === null) {
  describeMediaBackend('an installed ffmpeg', (limits) => openFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', { limits, timers }));
} else {
  describe('an installed ffmpeg', () => it.skip(`is not tested here: ${missing}`));
}
