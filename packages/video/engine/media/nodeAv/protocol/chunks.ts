/**
 * Length of a chunk header, bytes. A child's input consists of chunks; each starts with its length, and a chunk of length 0
 * ends the input.
 */
export const inputHeaderBytes = 4;

export function inputHeader(bytes: number): Buffer {
  const header = Buffer.allocUnsafe(inputHeaderBytes);
  header.writeUInt32LE(bytes);
  return header;
}
