import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe } from 'vitest';
import { describeMediaBackend } from '../../testing/mediaSuite/describeMediaBackend.ts';
import { openFfmpeg } from './ffmpegBackend.ts';
import { missingFfmpeg } from '../../testing/installedFfmpeg.ts';

const missing = await missingFfmpeg();
const { timers } = systemInterfaces;

describe.skipIf(missing !== null)(`an installed ffmpeg${missing === null ? '' : ` (${missing})`}`, () => {
  describeMediaBackend('as a media backend', (limits) => openFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', { limits, timers }));
});
