import { SpanKind, SpanStatusCode, type Span, type Tracer } from '@opentelemetry/api';
import { beginSpan, bindingsOf, failSpan, traceparentOf } from '../tracing/spans.ts';
import type { JobRow } from './jobRow.ts';

/** The spans of one attempt: one of the attempt, below the request that created the job, and one of each stage. */
export class AttemptTrace {
  /** For what the attempt causes, such as callbacks; null outside of a trace. */
  readonly traceparent: string | null;
  readonly #tracer: Tracer;
  readonly #span: Span;
  #stage: Span | null = null;
  #outcome: 'completed' | 'error' | 'cancelled' | 'requeued' | 'lost' = 'lost';

  constructor(tracer: Tracer, row: JobRow) {
    this.#tracer = tracer;
    this.#span = beginSpan(tracer, `job ${row.kind}`, {
      kind: SpanKind.CONSUMER, parent: row.traceparent,
      attributes: { 'vouch.job.id': row.id, 'vouch.job.kind': row.kind, 'vouch.job.attempt': row.attempt, 'vouch.organization_id': row.organization_id },
    });
    this.traceparent = traceparentOf(this.#span);
  }

  /** Bindings of log lines: the id of the trace. */
  get bindings(): { trace_id?: string } {
    return bindingsOf(this.#span);
  }

  async stage<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const span = beginSpan(this.#tracer, `stage ${name}`, { parent: this.traceparent });
    this.#stage = span;
    try {
      const result = await work();
      span.end();
      return result;
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      this.#stage = null;
    }
  }

  /** Records that a child process works for the current stage. */
  process(processId: number): void {
    (this.#stage ?? this.#span).addEvent('process started', { 'process.pid': processId });
  }

  /** Records how the attempt ends; without a call, it lost its job. */
  set outcome(outcome: 'completed' | 'error' | 'cancelled' | 'requeued') {
    this.#outcome = outcome;
  }

  end(): void {
    this.#span.setAttribute('vouch.job.outcome', this.#outcome);
    if (this.#outcome === 'error' || this.#outcome === 'lost') this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}
