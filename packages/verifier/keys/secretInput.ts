import { StringDecoder } from 'node:string_decoder';
import { Interrupted, KeyFault } from './keyFault.ts';

/** Standard input; a terminal has `isTTY` and `setRawMode`. */
export interface SecretStream extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Maximum length of a line; a longer line is rejected, so that endless input cannot exhaust the memory. */
const maxLength = 4_096;

/**
 * Reads secret lines: from a terminal without echo, or from standard input if it is a file or pipe. Input after a line is kept for the
 * next question.
 */
export class SecretInput {
  private readonly input: SecretStream;
  private readonly output: { write(text: string): unknown };
  private readonly decoder = new StringDecoder('utf8');
  private pending: string[] = [];
  private ended = false;
  private listening = false;
  private wake: () => void = () => {};

  /** @param output receives the questions; standard error, so that results can be piped */
  constructor(input: SecretStream, output: { write(text: string): unknown }) {
    this.input = input;
    this.output = output;
  }

  get isTerminal(): boolean {
    return this.input.isTTY === true;
  }

  /**
   * Asks for a secret line.
   * @param what name of the secret in messages: `the password`
   * @throws Interrupted after Ctrl-C
   * @throws KeyFault if there is no line, or the line is too long
   */
  async ask(question: string, what: string): Promise<string> {
    // Echo is disabled before the question is shown, so that an immediate answer is not visible.
    if (this.isTerminal) this.input.setRawMode?.(true);
    this.output.write(this.isTerminal ? `${question}: ` : `(reading ${what} from standard input)\n`);
    try {
      return this.isTerminal ? await this.readTyped(what) : await this.readLine(what);
    } finally {
      if (this.isTerminal) {
        this.input.setRawMode?.(false);
        this.output.write('\n');
      }
      // An open input would keep the process alive.
      this.input.pause();
    }
  }

  private async readLine(what: string): Promise<string> {
    const line: string[] = [];
    for (;;) {
      const character = await this.next();
      if (character === null && line.length === 0) throw new KeyFault(`Standard input ended before ${what} was read. Pipe the input, or name a password file.`);
      if (character === null || character === '\n') return line.join('').replace(/\r$/, '');
      line.push(character);
      refuseEndless(line, what);
    }
  }

  private async readTyped(what: string): Promise<string> {
    const line: string[] = [];
    for (;;) {
      const character = await this.next();
      if (character === '\u0003') throw new Interrupted('Interrupted.');
      if (character === null || (character === '\u0004' && line.length === 0)) throw new KeyFault(`The terminal was closed before ${what} was read.`);
      if (character === '\r' || character === '\n') return line.join('');
      if (character === '\u007f' || character === '\b') line.pop();
      else if (character === '\u0015') line.length = 0;
      else if (character === '\u001b') await this.skipEscape();
      else if (character >= ' ') line.push(character);
      refuseEndless(line, what);
    }
  }

  /** Skips the rest of an escape sequence (ESC [ … letter), such as an arrow key. */
  private async skipEscape(): Promise<void> {
    if (this.pending[0] !== '[' && this.pending[0] !== 'O') return;
    await this.next();
    for (let character = await this.next(); character !== null && /[\d;]/.test(character);) character = await this.next();
  }

  /** Returns the next character; null at the end of the input. */
  private async next(): Promise<string | null> {
    while (this.pending.length === 0 && !this.ended) await this.receive();
    return this.pending.shift() ?? null;
  }

  private receive(): Promise<void> {
    if (!this.listening) this.listen();
    this.input.resume();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Adds permanent listeners, so that an end of input between two questions is not missed. */
  private listen(): void {
    this.listening = true;
    const take = (text: string, ended: boolean): void => {
      this.input.pause();
      this.pending.push(...text);
      this.ended ||= ended;
      this.wake();
    };
    const end = (): void => take(this.decoder.end(), true);
    this.input.on('data', (chunk: Buffer | string) => take(typeof chunk === 'string' ? chunk : this.decoder.write(chunk), false));
    this.input.on('end', end).on('close', end).on('error', end);
  }
}

function refuseEndless(line: readonly string[], what: string): void {
  if (line.length > maxLength) throw new KeyFault(`The input for ${what} has a line of more than ${maxLength} characters, which is too long.`);
}
