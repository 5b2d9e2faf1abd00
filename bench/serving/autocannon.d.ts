/** Types for the part of autocannon 9 that the benchmarks use; the package has no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Request {
    path: string;
  }

  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Requests/s over all connections; default: as many as are answered. */
    overallRate?: number;
    /** Seconds. */
    timeout?: number;
    headers: Record<string, string>;
    requests: { setupRequest: (request: Request) => Request }[];
  }

  interface Result {
    requests: { average: number; total: number };
    errors: number;
    timeouts: number;
    non2xx: number;
    duration: number;
  }

  interface Run extends EventEmitter, Promise<Result> {
    /** `milliseconds` has fractions, unlike the percentiles in the result. */
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void): this;
  }

  export default function autocannon(options: Options): Run;
}
