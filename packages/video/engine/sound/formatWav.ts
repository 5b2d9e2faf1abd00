const bytesPerSample = 2;
const headerBytes = 44;

/**
 * Writes one channel of 16-bit samples as a WAV file: a RIFF header with one `fmt ` chunk (PCM) and one `data` chunk, as in "Multimedia Programming
 * Interface and Data Specifications 1.0" (IBM and Microsoft).
 */
export function formatWav(samples: Int16Array, sampleRate: number): Uint8Array {
  const bytes = samples.length * bytesPerSample;
  const wav = Buffer.alloc(headerBytes + bytes);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(headerBytes - 8 + bytes, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * bytesPerSample, 28);
  wav.writeUInt16LE(bytesPerSample, 32);
  wav.writeUInt16LE(8 * bytesPerSample, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(bytes, 40);
  Buffer.from(samples.buffer, samples.byteOffset, bytes).copy(wav, headerBytes);
  return wav;
}
