import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { parseTraceparent } from '../tracing/traceparent.ts';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The logger of one request. Most requests log nothing themselves, so the child logger with the request's id is created only at the first line. */
export class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  #bindings: Bindings;
  readonly #options: ChildOptions;
  #own: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  /** Names the trace of the request in the lines from now on. */
  join(traceId: string): void {
    this.#bindings = { ...this.#bindings, trace_id: traceId };
  }

  get level(): string { return this.#child().level; }
  fatal(...line: unknown[]): void { this.#write('fatal', line); }
  error(...line: unknown[]): void { this.#write('error', line); }
  warn(...line: unknown[]): void { this.#write('warn', line); }
  info(...line: unknown[]): void { this.#write('info', line); }
  debug(...line: unknown[]): void { this.#write('debug', line); }
  trace(...line: unknown[]): void { this.#write('trace', line); }
  silent(...line: unknown[]): void { this.#write('silent', line); }

  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.#child().child(bindings, options);
  }

  #child(): FastifyBaseLogger {
    this.#own ??= this.#parent.child(this.#bindings, this.#options);
    return this.#own;
  }

  #write(level: Level, line: unknown[]): void {
    const own = this.#child();
    Reflect.apply(own[level], own, line);
  }
}

/** Factory that Fastify calls for the logger of each request. Lines of a request that belongs to a trace name the trace. */
export function requestLogger(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions, { headers }: { headers: IncomingHttpHeaders }): FastifyBaseLogger {
  const trace = parseTraceparent(headers['traceparent']);
  return new RequestLogger(parent, trace === null ? bindings : { ...bindings, trace_id: trace.traceId }, options);
}
