import { ProxyTracerProvider, ROOT_CONTEXT, SpanStatusCode, trace, type Attributes, type Span, type SpanKind, type Tracer } from '@opentelemetry/api';
import { parseTraceparent } from './traceparent.ts';

export interface SpanOptions {
  kind?: SpanKind;
  /** `traceparent` of the span that caused this one, in this process or another; null for the first span of a trace. */
  parent: string | null;
  attributes?: Attributes;
  /** Default: now. */
  startTime?: Date;
}

/**
 * Begins a span; the caller ends it. With the tracer of a process that sends no traces, the span is empty, and its traceparent is that of the parent.
 * @param name with few distinct values, so without ids
 */
export function beginSpan(tracer: Tracer, name: string, { kind, parent, attributes, startTime }: SpanOptions): Span {
  const caller = parent === null ? null : parseTraceparent(parent);
  const context = caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
  return tracer.startSpan(name, { ...(kind === undefined ? {} : { kind }), ...(attributes === undefined ? {} : { attributes }), ...(startTime === undefined ? {} : { startTime }) }, context);
}

/** Ends a span as failed, with the name of the error. The message stays out, because it may contain values of a user. */
export function failSpan(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Returns the header `traceparent` (W3C Trace Context) of a span for those that the span causes; null for an empty span without a parent. */
export function traceparentOf(span: Span): string | null {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return trace.isSpanContextValid(span.spanContext()) ? `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` : null;
}

/** Bindings of log lines that belong to a span: the id of its trace, none outside of a trace. */
export function bindingsOf(span: Span): { trace_id?: string } {
  return trace.isSpanContextValid(span.spanContext()) ? { trace_id: span.spanContext().traceId } : {};
}

/** Tracer of a process that sends no traces. */
export const noTracer: Tracer = new ProxyTracerProvider().getTracer('vouch');
