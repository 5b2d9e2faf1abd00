import { StringDecoder } from 'node:string_decoder';
import { Interrupted, KeyFault } from './keyFault.ts';

/** Standard input as it is needed here: a terminal has `isTTY` and `setRawMode`. */
export interface SecretStream extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Longer lines are refused, so that an endless line does not fill the memory. */
const maxLength = 4_096;

/**
 * Lines that must not be seen: from a terminal without echo, or from standard input where that is a file or pipe. What comes
 * after a line is kept for the next question.
 */
export class SecretInput {
  private readonly input: SecretStream;
  private readonly output: { write(text: string): unknown };
  private readonly decoder = new StringDecoder('utf8');
  private pending: string[] = [];
  private ended = false;
  private listening = false;
  private wake: () => void = () => {};

  /** @param output where questions go; standard error, so that results can be piped on */
  constructor(input: SecretStream, output: { write(text: string): unknown }) {
    this.input = input;
    this.output = output;
  }

  get isTerminal(): boolean {
    return this.input.isTTY === true;
  }

  /**
   * @param what for sentences: `the password`
   * @throws Interrupted after Ctrl-C
   * @throws KeyFault where there is no line or an endless one
   */
  async ask(question: string, what: string): Promise<string> {
    // Silent before the question shows: whoever answers it at once must not see the answer.
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
      if (character === null && line.length === 0) throw new KeyFault(`Standard input ended before ${what} came. Pipe it in, or name a file with -password-file.`);
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
      if (character === null || (character === '\u0004' && line.length === 0)) throw new KeyFault(`The terminal was closed before ${what} came.`);
      if (character === '\r' || character === '\n') return line.join('');
      if (character === '\u007f' || character === '\b') line.pop();
      else if (character === '\u0015') line.length = 0;
      else if (character === '\u001b') await this.skipEscape();
      else if (character >= ' ') line.push(character);
      refuseEndless(line, what);
    }
  }

  /** Arrow keys and the like arrive as ESC [ … letter; they are no part of a password. */
  private async skipEscape(): Promise<void> {
    if (this.pending[0] !== '[' && this.pending[0] !== 'O') return;
    await this.next();
    for (let character = await this.next(); character !== null && /[\d;]/.test(character);) character = await this.next();
  }

  /** The next character, null at the end. */
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

  /** For good: an end that comes between two questions must not be missed. */
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
  if (line.length > maxLength) throw new KeyFault(`What was given as ${what} has more than ${maxLength} characters in one line; that is something else.`);
}
