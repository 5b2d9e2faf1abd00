import { compileOnce } from '@vouch/platform/config/compileOnce';
import { collectBody } from '@vouch/platform/outbound/collectBody';
import { openConnections, type Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { withinTime } from '@vouch/platform/process/withinTime';
import { Type } from 'typebox';
import type { VideoSettings } from '../config/videoSettings.ts';
import type { Cue } from '../engine/selection/subtitles.ts';

/** Time limit for a part of two minutes: five times the length of the sound, for a recognizer without a GPU. */
const answerTimeoutMs = 600_000;
const maxAnswerBytes = 8_388_608;
/** Pauses before repetitions, ms. */
const pausesMs = [1_000, 5_000, 15_000];
/** Limits of Whisper's decoder, beyond which a segment is silence, or the repetition of one word: openai/whisper, `transcribe.py`. */
const silent = { noSpeech: 0.6, logProbability: -1 };
const maxCompression = 2.4;
const shownCharacters = 200;

/** The part of a `verbose_json` answer that is used. Times are in seconds. */
const Transcription = Type.Object({
  segments: Type.Array(Type.Object({
    start: Type.Number(), end: Type.Number(), text: Type.String(),
    no_speech_prob: Type.Optional(Type.Number()), avg_logprob: Type.Optional(Type.Number()), compression_ratio: Type.Optional(Type.Number()),
  })),
});
const validatorOf = compileOnce(Transcription);

/** Why a service gave no transcription. The message is a sentence for the operator, without secrets. */
export class TranscriptionFault extends Error {
  override readonly name = 'TranscriptionFault';
  /** Whether a repetition may succeed. */
  readonly passes: boolean;

  constructor(message: string, { passes = false, cause }: { passes?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.passes = passes;
  }
}

/**
 * A service with the transcriptions of the OpenAI API: the server of whisper.cpp, faster-whisper, LocalAI, OpenAI and others. The operator configures its
 * address, so it may be a private one.
 * @example
 * const service = openTranscriptionService(settings, timers);
 * const cues = await service.transcribe(wav, { language: 'en', signal });
 */
export interface TranscriptionService {
  /**
   * Transcribes a WAV file of at most two minutes.
   * @param language ISO 639-1 code of the spoken language; null lets the service find it
   * @throws TranscriptionFault; the reason of the signal
   */
  transcribe(wav: Uint8Array, options: { language: string | null; signal: AbortSignal }): Promise<Cue[]>;
  close(): void;
}

/**
 * Returns the service of the settings; null if none is configured.
 * @param repetitionsMs pauses before repetitions, ms; an empty list asks once
 */
export function openTranscriptionService(settings: VideoSettings, timers: Timers, repetitionsMs: readonly number[] = pausesMs): TranscriptionService | null {
  const { video_transcription_url: url } = settings;
  if (url === undefined) return null;
  const address = new URL(`${url.replace(/\/+$/, '')}/audio/transcriptions`);
  const connections = openConnections({ connectionsPerOrigin: 1, keep: false }, timers);
  return {
    async transcribe(wav, { language, signal }) {
      for (let tries = 0; ; tries += 1) {
        try {
          return await ask({ connections, address, settings, timers }, wav, language, signal);
        } catch (error) {
          signal.throwIfAborted();
          const pauseMs = repetitionsMs[tries];
          if (!(error instanceof TranscriptionFault) || !error.passes || pauseMs === undefined) throw error;
          await timers.sleep(pauseMs, signal);
          signal.throwIfAborted();
        }
      }
    },
    close: () => connections.close(),
  };
}

interface Called {
  connections: Connections;
  address: URL;
  settings: VideoSettings;
  timers: Timers;
}

async function ask({ connections, address, settings, timers }: Called, wav: Uint8Array, language: string | null, signal: AbortSignal): Promise<Cue[]> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'sound.wav');
  form.set('model', settings.video_transcription_model);
  form.set('response_format', 'verbose_json');
  if (language !== null) form.set('language', language);
  const encoded = new Response(form);
  const key = settings.video_transcription_key;
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  const body = Buffer.from(await encoded.arrayBuffer());
  const fault = (): Error => new TranscriptionFault(`${address.host} did not answer within ${answerTimeoutMs / 60_000} minutes.`);
  return withinTime({ timeoutMs: answerTimeoutMs, timers, fault, signal }, async (stop) => {
    const answer = await connections.send(address, { method: 'POST', headers, body, signal: stop }).catch(asFault);
    const text = (await collectBody(answer.body, maxAnswerBytes, () => new TranscriptionFault(`${address.host} answered with more than 8 MiB.`)).catch(asFault)).toString('utf8');
    // Services quote the key in some errors.
    if (answer.status !== 200) throw refusalOf(address.host, answer.status, key === undefined ? text : text.replaceAll(key, '…'));
    return readCues(address.host, text);
  });
}

function asFault(error: unknown): never {
  throw error instanceof OutboundFailed ? new TranscriptionFault(`${error.message}.`, { passes: error.kind !== 'certificate', cause: error }) : error;
}

function refusalOf(host: string, status: number, text: string): TranscriptionFault {
  const said = text.replace(/[\p{Cc}\s]+/gu, ' ').trim().slice(0, shownCharacters);
  if (status === 401 || status === 403) return new TranscriptionFault(`${host} refused the key of VOUCH_VIDEO_TRANSCRIPTION_KEY (${status}).`);
  return new TranscriptionFault(`${host} answered ${status}${said === '' ? '' : `: ${said}`}.`, { passes: status === 429 || status >= 500 });
}

function readCues(host: string, text: string): Cue[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new TranscriptionFault(`${host} answered with text that is not JSON.`, { cause: error });
  }
  if (!validatorOf().Check(given)) throw new TranscriptionFault(`${host} answered without segments with times. Use a model that supports the response format verbose_json.`);
  return given.segments.filter(({ no_speech_prob: noSpeech = 0, avg_logprob: logProbability = 0, compression_ratio: compression = 0 }) =>
    compression <= maxCompression && (noSpeech <= silent.noSpeech || logProbability >= silent.logProbability));
}
