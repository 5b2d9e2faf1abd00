/** Reason for the end of a child process, with the facts of this reason. */
export type ChildEnd =
  | { kind: 'exited'; code: number }
  | { kind: 'signal'; signal: string }
  | { kind: 'cancelled' }
  | { kind: 'timed-out'; wallMs: number }
  | { kind: 'processor-time'; cpuSeconds: number }
  | { kind: 'memory'; memoryBytes: number; measuredBytes: number | null }
  | { kind: 'output'; outputBytes: number }
  | { kind: 'disk'; diskBytes: number }
  | { kind: 'unreadable-message'; why: string }
  | { kind: 'not-started'; why: string };

/** A child process did not end with code 0. The message is a sentence that may be shown to users and contains no arguments. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  /** Short name of the program. */
  readonly program: string;
  readonly end: ChildEnd;
  /** Last part of the child's standard error, without values of its environment. */
  readonly stderrTail: string;

  constructor(program: string, end: ChildEnd, stderrTail: string) {
    super(`${program} ${describeEnd(end)}${lastLine(end, stderrTail)}`);
    this.program = program;
    this.end = end;
    this.stderrTail = stderrTail;
  }
}

const signalsFromOutside: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/**
 * Whether a child ended for a reason that says nothing about its program: somebody ended it, it was cancelled, or the machine was too busy. The same
 * program can succeed later.
 */
export function isInterruption(error: unknown): error is ChildFailed {
  if (!(error instanceof ChildFailed)) return false;
  const { end } = error;
  return end.kind === 'cancelled' || end.kind === 'timed-out' || (end.kind === 'signal' && signalsFromOutside.includes(end.signal));
}

/** Describes an end as the rest of a sentence that begins with the program's name. */
export function describeEnd(end: ChildEnd): string {
  switch (end.kind) {
    case 'exited':
      return `ended with code ${end.code}`;
    case 'signal':
      return `was ended by ${end.signal} from outside`;
    case 'cancelled':
      return 'was cancelled';
    case 'timed-out':
      return `did not end within ${end.wallMs / 1000} s and was stopped`;
    case 'processor-time':
      return `used more than ${end.cpuSeconds} s of processor time and was stopped`;
    case 'memory':
      return end.measuredBytes === null
        ? `exceeded its ${megabytes(end.memoryBytes)} of memory`
        : `used ${megabytes(end.measuredBytes)} of memory, more than its limit of ${megabytes(end.memoryBytes)}, and was stopped`;
    case 'output':
      return `wrote more than ${end.outputBytes} bytes of output and was stopped`;
    case 'disk':
      return `wrote a file larger than ${megabytes(end.diskBytes)} and was stopped`;
    case 'unreadable-message':
      return `sent a message that cannot be read (${end.why}) and was stopped`;
    case 'not-started':
      return `could not be started: ${end.why}`;
  }
}

function lastLine(end: ChildEnd, tail: string): string {
  if (end.kind !== 'exited' && end.kind !== 'signal') return '';
  const lines = tail.trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  const line = (endOfStack.test(last) ? lines.findLast((text) => errorLine.test(text)) ?? last : last).trim();
  return line === '' ? '' : `: ${line.slice(-300)}`;
}

/** The last line of a stack, or the line that Node writes after the stack of an uncaught error. */
const endOfStack = /^(?: +at |Node\.js v\d)/;
/** The first line of such a stack. The error's causes are indented. */
const errorLine = /^[A-Z]\w*(?: \[\w+\])?: /;

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
