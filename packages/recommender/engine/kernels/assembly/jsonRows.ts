// AssemblyScript. Rows of a list as JSON text. All addresses are bytes.

/**
 * Copies a text in whole vectors, two of them whatever the length: most texts are as short, and a branch on lengths that differ from text to text is predicted
 * wrongly. Up to 32 bytes after the text are read, and overwritten after its copy.
 */
function copy(from: usize, to: usize, bytes: usize): usize {
  v128.store(to, v128.load(from));
  v128.store(to + 16, v128.load(from + 16));
  for (let at: usize = 32; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
  return to + bytes;
}

function digit(out: usize, value: u32): usize {
  store<u8>(out, 48 + value % 10);
  return out + 1;
}

function writeInteger(out: usize, value: u32): usize {
  if (value >= 1000) out = writeInteger(out, value / 1000);
  if (value >= 100) out = digit(out, value / 100);
  if (value >= 10) out = digit(out, value / 10);
  return digit(out, value);
}

/**
 * Writes a score from 0 to 1, given in millionths, without zeros at its end. All digits are computed at the same time, in lanes of one number: first the two
 * halves of four digits, then of two digits, then each digit.
 */
function writeScore(out: usize, millionths: u32): usize {
  if (millionths % 1000000 == 0) return writeInteger(out, millionths / 1000000);
  store<u16>(out, 0x2e30);
  const digits = 100 * <u64>millionths;
  const fours = digits / 10000 | (digits % 10000) << 32;
  const hundreds = (fours * 10486) >> 20 & 0x7f0000007f;
  const twos = hundreds | (fours - 100 * hundreds) << 16;
  const tens = (twos * 103) >> 10 & 0x000f000f000f000f;
  const ones = tens | (twos - 10 * tens) << 8;
  store<u64>(out + 2, ones + (0x30303030 | <u64>0x30303030 << 32));
  return out + 10 - <usize>(clz(ones) >> 3);
}

/**
 * Writes `start`, the id of the item, `,"rank":`, the rank, `,"score":`, the score, the text of the item's type, the name, `,"media_url":`, the URL and
 * `,"reasons":[]}`, for each of `count` rows.
 * @param items addresses of the items' texts: as u32 the lengths of the id, the name and the URL and the address of the type's text, then the three texts.
 *   The type's text follows its length, after 16 bytes
 * @param millionths score of each row
 * @returns the end of the rows; up to 32 bytes after it are overwritten
 */
export function writeJsonRows(items: usize, millionths: usize, count: usize, firstRank: u32, start: usize, startBytes: usize, out: usize): usize {
  for (let row: usize = 0; row < count; row++) {
    const item = <usize>load<u32>(items + 4 * row);
    const idBytes = <usize>load<u32>(item);
    const nameBytes = <usize>load<u32>(item + 4);
    const type = <usize>load<u32>(item + 12);
    out = copy(start, out, startBytes);
    out = copy(item + 16, out, idBytes);
    // The text `,"rank":`.
    store<u32>(out, 0x6172222c);
    store<u32>(out + 4, 0x3a226b6e);
    out = writeInteger(out + 8, firstRank + <u32>row);
    // The text `,"score":`.
    store<u32>(out, 0x6373222c);
    store<u32>(out + 4, 0x2265726f);
    store<u8>(out + 8, 58);
    out = writeScore(out + 9, load<u32>(millionths + 4 * row));
    out = copy(type + 16, out, <usize>load<u32>(type));
    out = copy(item + 16 + idBytes, out, nameBytes);
    // The text `,"media_url":`.
    store<u32>(out, 0x656d222c);
    store<u32>(out + 4, 0x5f616964);
    store<u64>(out + 8, 0x3a226c7275);
    out = copy(item + 16 + idBytes + nameBytes, out + 13, <usize>load<u32>(item + 8));
    // The text `,"reasons":[]}`.
    store<u32>(out, 0x6572222c);
    store<u32>(out + 4, 0x6e6f7361);
    store<u64>(out + 8, 0x7d5d5b3a2273);
    out += 14;
  }
  return out;
}
