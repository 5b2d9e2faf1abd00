/**
 * Maximum number of slots tried from an id's first slot before the binary search in the sorted ids; limits the cost of a
 * lookup among ids chosen to collide.
 */
const maxProbes = 32;
const empty = -1;

/** 32-bit FNV-1a (Fowler, Noll, Vo) with the final mix of MurmurHash3, so that the low bits depend on every byte. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Builds a hash table of node numbers with open addressing, at most half full: slot -> node, -1 if the slot is free. A node
 * without a free slot near its first slot is omitted; `findNode` then searches the sorted ids.
 * @param count number of nodes
 * @param hashOf returns the hash of a node's id
 */
export function buildIdIndex(count: number, hashOf: (node: number) => number): Int32Array {
  let slots = 2;
  while (slots < 2 * count) slots *= 2;
  const table = new Int32Array(slots).fill(empty);
  for (let node = 0; node < count; node += 1) {
    const home = hashOf(node);
    for (let probe = 0; probe < maxProbes; probe += 1) {
      const slot = (home + probe) & (slots - 1);
      if (table[slot] !== empty) continue;
      table[slot] = node;
      break;
    }
  }
  return table;
}

/**
 * Finds the node with an id; nodes are numbered by the byte order of their ids.
 * @param compare compares a node's id with the wanted id: negative, 0 or positive
 * @returns the node, or -1 if there is none
 */
export function findNode(table: Int32Array, count: number, hash: number, compare: (node: number) => number): number {
  for (let probe = 0; probe < Math.min(maxProbes, table.length); probe += 1) {
    const node = table[(hash + probe) & (table.length - 1)] ?? empty;
    if (node === empty) return -1;
    if (compare(node) === 0) return node;
  }
  return searchSorted(count, compare);
}

function searchSorted(count: number, compare: (node: number) => number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compare(middle);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
