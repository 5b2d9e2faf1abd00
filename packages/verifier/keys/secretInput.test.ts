import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Interrupted, KeyFault } from './keyFault.ts';
import { readNewPassword } from './readPassword.ts';
import { SecretInput, type SecretStream } from './secretInput.ts';

interface Asked {
  input: SecretInput;
  stream: PassThrough & SecretStream;
  shown(): string;
  /** Calls of setRawMode, in order. */
  modes: boolean[];
}

function ask(isTTY: boolean, ...chunks: (string | Buffer)[]): Asked {
  let shown = '';
  const modes: boolean[] = [];
  const stream: PassThrough & SecretStream = new PassThrough();
  if (isTTY) Object.assign(stream, { isTTY, setRawMode: (raw: boolean) => modes.push(raw) });
  for (const chunk of chunks) stream.write(chunk);
  return { input: new SecretInput(stream, { write: (text) => void (shown += text) }), stream, shown: () => shown, modes };
}
const typed = (...chunks: (string | Buffer)[]): Asked => ask(true, ...chunks);

describe('a password typed at a terminal', () => {
  it.each<[string, (string | Buffer)[], string]>([
    ['ends with the return key', ['secret\r'], 'secret'],
    ['may come in pieces, within a letter too', [Buffer.from([0x50, 0xc3]), Buffer.from([0xbc]), '✓\n'], 'Pü✓'],
    ['can be corrected', ['seg\u007fcrer\bt\r'], 'secret'],
    ['can be corrected by whole letters', ['a✓𝄞\u007f\u007fb\r'], 'ab'],
    ['can be begun anew', ['wrong\u0015right\r'], 'right'],
    ['is not touched by arrow keys', ['ab\u001b[D\u001b[1;5Cc\u001bOP\r'], 'abc'],
    ['may hold blanks at its ends', [' a b \r'], ' a b '],
    ['may be empty', ['\r'], ''],
  ])('%s', async (_how, chunks, expected) => {
    const { input, shown, modes } = typed(...chunks);
    expect(await input.ask('Password', 'the password')).toBe(expected);
    expect(shown()).toBe('Password: \n');
    expect(modes).toEqual([true, false]);
  });

  it('ends with Ctrl-C, and leaves the terminal as it was', async () => {
    const { input, modes } = typed('sec\u0003');
    await expect(input.ask('Password', 'the password')).rejects.toBeInstanceOf(Interrupted);
    expect(modes).toEqual([true, false]);
  });

  it('is refused where the terminal closes, or where it never ends', async () => {
    const closed = typed('sec');
    closed.stream.end();
    await expect(closed.input.ask('Password', 'the password')).rejects.toBeInstanceOf(KeyFault);
    await expect(typed('x'.repeat(5_000)).input.ask('Password', 'the password')).rejects.toThrow(/more than 4096 characters/);
    await expect(typed('\u0004').input.ask('Password', 'the password')).rejects.toBeInstanceOf(KeyFault);
  });
});

describe('a password piped in', () => {
  it('is the first line, and the next question gets the next', async () => {
    const { input, stream, shown } = ask(false, 'one\r\ntw', 'o');
    stream.end();
    expect([await input.ask('A', 'the key'), await input.ask('B', 'the password')]).toEqual(['one', 'two']);
    expect(shown()).toBe('(reading the key from standard input)\n(reading the password from standard input)\n');
    await expect(input.ask('C', 'the password')).rejects.toThrow(/Standard input ended before the password was read/);
  });

  it('is not taken by halves where the input never ends', async () => {
    await expect(ask(false, 'x'.repeat(5_000)).input.ask('A', 'the password')).rejects.toThrow(/more than 4096 characters/);
  });
});

describe('a new password', () => {
  const warned: string[] = [];
  const choose = ({ input }: Asked): Promise<string> => readNewPassword({ kind: 'ask' }, input, (sentence) => warned.push(sentence));

  it('is asked for twice at a terminal, and once of a pipe', async () => {
    expect(await choose(typed('long enough\rlong enough\r'))).toBe('long enough');
    expect(await choose(ask(false, 'long enough\n'))).toBe('long enough');
    expect(warned).toEqual([]);
  });

  it('is refused where it is empty or the two differ; a short one gets a warning', async () => {
    await expect(choose(typed('\r'))).rejects.toThrow(/empty password/);
    await expect(choose(typed('long enough\rlong enoug\r'))).rejects.toThrow(/differ; no keystore was written/);
    expect(await choose(typed('short\rshort\r'))).toBe('short');
    expect(warned).toEqual([expect.stringContaining('fewer than 8 characters')]);
  });
});
