/** What is fed to a child goes in chunks: each begins with its length, and one of length 0 is the end. */
export const inputHeaderBytes = 4;

export function inputHeader(bytes: number): Buffer {
  const header = Buffer.allocUnsafe(inputHeaderBytes);
  header.writeUInt32LE(bytes);
  return header;
}
