import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { withinTime } from '@vouch/platform/process/withinTime';
import type { VideoSettings } from '../config/videoSettings.ts';
import { formatWav } from '../engine/sound/formatWav.ts';
import { openTranscriptionService, TranscriptionFault } from './transcriptionService.ts';

/** Enough for a service that loads its model at the first request; a person waits for the answer. */
const timeoutMs = 15_000;
const sampleRate = 16_000;

/** Sends a second of silence to the service of the settings, once. @returns why it was not transcribed, or null */
export async function findTranscriptionFault(settings: VideoSettings, timers: Timers): Promise<string | null> {
  const service = openTranscriptionService(settings, timers, []);
  const fault = (): Error => new TranscriptionFault(`The service did not transcribe a second of silence within ${timeoutMs / 1_000} s.`);
  try {
    await withinTime({ timeoutMs, timers, fault }, async (signal) => service?.transcribe(formatWav(new Int16Array(sampleRate), sampleRate), { language: null, signal }));
    return null;
  } catch (error) {
    if (!(error instanceof TranscriptionFault)) throw error;
    return error.message;
  } finally {
    service?.close();
  }
}
