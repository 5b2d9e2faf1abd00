// AssemblyScript. Rows of a list as JSON text. All addresses are bytes.

/** Copies a text in whole vectors: up to 15 bytes after the text are read, and overwritten after its copy. */
function copy(from: usize, to: usize, bytes: usize): usize {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
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

/** Writes a score from 0 to 1, given in millionths, without zeros at its end. */
function writeScore(out: usize, millionths: u32): usize {
  if (millionths % 1000000 == 0) return writeInteger(out, millionths / 1000000);
  store<u16>(out, 0x2e30);
  out = digit(out + 2, millionths / 100000);
  out = digit(out, millionths / 10000);
  out = digit(out, millionths / 1000);
  out = digit(out, millionths / 100);
  out = digit(out, millionths / 10);
  out = digit(out, millionths);
  while (load<u8>(out - 1) == 48) out--;
  return out;
}

/**
 * Writes `start`, the first text of the item, the rank, `,"score":`, the score and the second text of the item, for each of `count` rows.
 * @param items addresses of the items' texts: the lengths of both as u32, from byte 16 on the first, and from the next multiple of 16 on the second
 * @param millionths score of each row
 * @returns the end of the rows; up to 15 bytes after it are overwritten
 */
export function writeJsonRows(items: usize, millionths: usize, count: usize, firstRank: u32, start: usize, startBytes: usize, out: usize): usize {
  for (let row: usize = 0; row < count; row++) {
    const item = <usize>load<u32>(items + 4 * row);
    const firstBytes = <usize>load<u32>(item);
    out = copy(start, out, startBytes);
    out = copy(item + 16, out, firstBytes);
    out = writeInteger(out, firstRank + <u32>row);
    // The text `,"score":`.
    store<u32>(out, 0x6373222c);
    store<u32>(out + 4, 0x2265726f);
    store<u8>(out + 8, 58);
    out = writeScore(out + 9, load<u32>(millionths + 4 * row));
    out = copy(item + 16 + ((firstBytes + 15) & ~15), out, <usize>load<u32>(item + 4));
  }
  return out;
}
