import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { expect, it } from 'vitest';
import { testLimits } from '../testing/mediaSuite/mediaUnderTest.ts';
import { EngineProcess } from './engineProcess.ts';

it('a decoder that is ended from outside gives an error with which a run is repeated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-ended-'));
  const ffmpegPath = join(folder, 'ffmpeg');
  writeFileSync(ffmpegPath, '#!/bin/sh\nkill -9 $$\n');
  chmodSync(ffmpegPath, 0o755);
  const engine = new EngineProcess({
    setup: { ffmpegPath, limits: testLimits, maxSeconds: 60 }, signal: new AbortController().signal, timers: systemInterfaces.timers, wallMs: 60_000,
  });
  try {
    await expect(engine.call('backend', {})).rejects.toMatchObject({ code: 'decoder-interrupted', status: 503, detail: 'The decoder (ffmpeg) was ended by SIGKILL from outside.' });
  } finally {
    await engine.stopped();
    rmSync(folder, { recursive: true });
  }
});
