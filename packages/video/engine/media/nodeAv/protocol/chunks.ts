/**
 * Length of a chunk header, bytes. A child's input consists of chunks; each starts with its length, and a chunk of length 0
 * ends the input.
 */
export const inputHeaderBytes = 4;

/** Makes the header of a chunk with the given number of bytes. */
export function inputHeader(bytes: number): Buffer {
  const header = Buffer.allocUnsafe(inputHeaderBytes);
  header.writeUInt32LE(bytes);
  return header;
}
