import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request to the service: the fields of its form, and the sound. */
interface TranscriptionCall {
  key: string | undefined;
  fields: Record<string, string>;
  /** Length of the sound, seconds. */
  seconds: number;
}

const headerBytes = 44;
const step = 0.05;
const loud = 300;

/**
 * A service with the transcriptions of the OpenAI API. It hears tones: each loud stretch of the sound is a segment with the text "a tone". It also makes up a
 * segment, as Whisper does in silence.
 */
export class TranscriptionTestServer {
  readonly url: string;
  readonly calls: TranscriptionCall[] = [];
  /** Answers to the next requests, instead of transcriptions; none for the status 0. The transcription for null. */
  readonly refusals: ({ status: number; body: string } | null)[] = [];
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  static async start(): Promise<TranscriptionTestServer> {
    let service: TranscriptionTestServer | null = null;
    const server = createServer((request, response) => void buffer(request).then(async (body) => {
      const refusal = request.url === '/v1/audio/transcriptions' ? service?.refusals.shift() : { status: 404, body: '' };
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': request.headers['content-type'] ?? '' } }).formData();
      const { file, ...fields } = Object.fromEntries(form) as Record<string, unknown>;
      const wav = Buffer.from(await (file as Blob).arrayBuffer());
      const sound = new Int16Array(wav.buffer, wav.byteOffset + headerBytes, (wav.length - headerBytes) / 2);
      const rate = wav.readUInt32LE(24);
      service?.calls.push({ key: request.headers.authorization, fields: fields as Record<string, string>, seconds: sound.length / rate });
      if (refusal?.status === 0) return;
      response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
      response.end(refusal?.body ?? JSON.stringify({ text: '', segments: [...hear(sound, rate), { start: 0, end: 1, text: 'Thank you for watching', no_speech_prob: 0.9, avg_logprob: -1.4 }] }));
    }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    service = new TranscriptionTestServer(server);
    return service;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

function hear(sound: Int16Array, rate: number): { start: number; end: number; text: string }[] {
  const found: { start: number; end: number; text: string }[] = [];
  for (let at = 0; at * step * rate < sound.length; at += 1) {
    const peak = sound.subarray(at * step * rate, (at + 1) * step * rate).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const last = found.at(-1);
    if (peak < loud) continue;
    if (last !== undefined && Math.abs(last.end - at * step) < step / 2) last.end = (at + 1) * step;
    else found.push({ start: at * step, end: (at + 1) * step, text: ' a tone' });
  }
  return found;
}
