import { realDoors } from '@vouch/platform/process/doors';
import { describe } from 'vitest';
import { describeMediaBackend } from '../../testing/mediaSuite/describeMediaBackend.ts';
import { openFfmpeg } from './ffmpegBackend.ts';
import { missingFfmpeg } from '../../testing/installedFfmpeg.ts';

const missing = await missingFfmpeg();
const { timers } = realDoors;

describe.skipIf(missing !== null)(`an installed ffmpeg${missing === null ? '' : ` (${missing})`}`, () => {
  describeMediaBackend('as a media backend', (limits) => openFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', { limits, timers }));
});
