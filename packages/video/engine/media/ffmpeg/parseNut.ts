/**
 * Parser of the NUT format, the only container of FFmpeg that carries raw pictures and samples with exact timestamps through a
 * pipe. Only the output of FFmpeg's muxer is supported. Source: the NUT specification, ffmpeg.org/~michael/nut.txt.
 */

/** One picture, or consecutive samples. */
interface NutFrame {
  /** Presentation time, seconds. */
  time: number;
  data: Uint8Array;
}

const fileId = 25;
const startcodes = { main: 0x4d, stream: 0x53, syncpoint: 0x4b } as const;
/** Bits of a frame's flags that determine the fields of the frame header. */
const flag = { codedPts: 8, streamId: 16, sizeMsb: 32, checksum: 64, reserved: 128, sideData: 256, headerIdx: 1024, matchTime: 2048, coded: 4096, invalid: 8192 } as const;
/** Maximum length of a frame header, bytes. */
const maxHeader = 64;

interface FrameCode {
  flags: number;
  ptsDelta: number;
  sizeMul: number;
  sizeLsb: number;
  reserved: number;
}

/**
 * Parses a NUT stream of FFmpeg. A truncated stream ends without an error.
 * @throws Error if the bytes are not NUT
 */
export async function* parseNut(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<NutFrame> {
  const bytes = new ByteQueue(stream);
  if (await bytes.take(fileId) === null) return;
  let codes: FrameCode[] = [];
  let timeBase = { numerator: 1, denominator: 1 };
  let shift = 0;
  let last = 0;
  while (await bytes.want(maxHeader)) {
    if (bytes.peek() === 0x4e) {
      const kind = bytes.peek(1);
      const body = await packetBody(bytes);
      if (body === null) return;
      if (kind === startcodes.main) ({ codes, timeBase } = mainHeader(body));
      else if (kind === startcodes.stream) shift = streamHeader(body);
      // One stream and one time base, so the syncpoint's time needs no conversion.
      else if (kind === startcodes.syncpoint) last = body.unsigned();
      continue;
    }
    const code = codes[bytes.byte()];
    if (code === undefined) throw new Error('NUT: a frame came before the main header');
    const { pts, size } = frameHeader(bytes, code, last, shift);
    last = pts;
    const data = await bytes.take(size);
    if (data === null) return;
    yield { time: (pts * timeBase.numerator) / timeBase.denominator, data };
  }
}

async function packetBody(bytes: ByteQueue): Promise<ByteCursor | null> {
  bytes.skip(8);
  const length = bytes.unsigned();
  if (length > 4096) bytes.skip(4);
  const body = await bytes.take(length);
  return body === null ? null : new ByteCursor(body);
}

function mainHeader(body: ByteCursor): { codes: FrameCode[]; timeBase: { numerator: number; denominator: number } } {
  const version = body.unsigned();
  if (version !== 3) throw new Error(`NUT: version ${version} is not known`);
  const streams = body.unsigned();
  body.unsigned();
  const timeBases = body.unsigned();
  if (streams !== 1 || timeBases !== 1) throw new Error('NUT: more than one stream');
  const timeBase = { numerator: body.unsigned(), denominator: body.unsigned() };
  const codes: FrameCode[] = [];
  let ptsDelta = 0;
  let sizeMul = 1;
  while (codes.length < 256) {
    const flags = body.unsigned();
    const fields = body.unsigned();
    const field = (index: number, otherwise: number): number => (fields > index ? body.unsigned() : otherwise);
    if (fields > 0) ptsDelta = body.signed();
    sizeMul = field(1, sizeMul);
    field(2, 0);
    const size = field(3, 0);
    const reserved = field(4, 0);
    const count = field(5, sizeMul - size);
    for (let rest = 6; rest < fields; rest += 1) body.unsigned();
    for (let done = 0; done < count && codes.length < 256; done += 1) {
      // The letter N begins a startcode and is never a frame code.
      if (codes.length === 0x4e) codes.push({ flags: flag.invalid, ptsDelta: 0, sizeMul: 1, sizeLsb: 0, reserved: 0 });
      codes.push({ flags, ptsDelta, sizeMul, sizeLsb: size + done, reserved });
    }
  }
  return { codes, timeBase };
}

/** Number of low bits of a timestamp in a frame header. */
function streamHeader(body: ByteCursor): number {
  body.unsigned();
  body.unsigned();
  body.skip(body.unsigned());
  body.unsigned();
  return body.unsigned();
}

function frameHeader(bytes: ByteCursor, code: FrameCode, last: number, shift: number): { pts: number; size: number } {
  let { flags } = code;
  if (flags & flag.coded) flags ^= bytes.unsigned();
  if (flags & (flag.invalid | flag.sideData)) throw new Error('NUT: a frame header is not of the known kind');
  if (flags & flag.streamId) bytes.unsigned();
  const pts = flags & flag.codedPts ? fullTime(bytes.unsigned(), last, shift) : last + code.ptsDelta;
  const size = code.sizeLsb + (flags & flag.sizeMsb ? code.sizeMul * bytes.unsigned() : 0);
  if (flags & flag.matchTime) bytes.unsigned();
  if (flags & flag.headerIdx) bytes.unsigned();
  const reserved = flags & flag.reserved ? bytes.unsigned() : code.reserved;
  for (let index = 0; index < reserved; index += 1) bytes.unsigned();
  if (flags & flag.checksum) bytes.skip(4);
  return { pts, size };
}

/**
 * Decodes a timestamp. A coded value below 2^shift holds the low bits nearest to the last timestamp; a higher value is the
 * whole timestamp plus 2^shift.
 */
function fullTime(coded: number, last: number, shift: number): number {
  const range = 2 ** shift;
  if (coded >= range) return coded - range;
  const lowest = last - Math.floor((range - 1) / 2);
  const ahead = (coded - lowest) % range;
  return lowest + (ahead < 0 ? ahead + range : ahead);
}

/** Reads NUT numbers: seven bits per byte, highest bits first; the top bit of a byte is set if more bytes follow. */
class ByteCursor {
  protected held: Uint8Array;
  protected at = 0;

  constructor(held: Uint8Array) {
    this.held = held;
  }

  byte(): number {
    const value = this.held[this.at];
    if (value === undefined) throw new Error('NUT: a header ends early');
    this.at += 1;
    return value;
  }

  skip(count: number): void {
    this.at += count;
  }

  unsigned(): number {
    let value = 0;
    for (;;) {
      const byte = this.byte();
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  }

  signed(): number {
    const value = this.unsigned() + 1;
    return value % 2 === 1 ? -((value - 1) / 2) : value / 2;
  }
}

/** Reads NUT numbers from a stream of chunks. */
class ByteQueue extends ByteCursor {
  private readonly chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;

  constructor(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    super(new Uint8Array());
    this.chunks = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  }

  peek(offset = 0): number | undefined {
    return this.held[this.at + offset];
  }

  /**
   * Buffers at least `count` bytes.
   * @returns false at the end of the stream
   */
  async want(count: number): Promise<boolean> {
    while (this.held.length - this.at < count) {
      const next = await this.chunks.next();
      if (next.done) break;
      const rest = this.held.subarray(this.at);
      this.held = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
      this.at = 0;
    }
    return this.at < this.held.length;
  }

  /** Takes the given number of bytes as a new array; null if the stream ends before. */
  async take(count: number): Promise<Uint8Array | null> {
    const taken = new Uint8Array(count);
    let filled = 0;
    for (;;) {
      const part = this.held.subarray(this.at, this.at + count - filled);
      taken.set(part, filled);
      filled += part.length;
      this.at += part.length;
      if (filled === count) return taken;
      const next = await this.chunks.next();
      if (next.done) return null;
      this.held = next.value;
      this.at = 0;
    }
  }
}
