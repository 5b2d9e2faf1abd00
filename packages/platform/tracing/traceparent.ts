import type { SpanContext } from '@opentelemetry/api';

/** `traceparent` of W3C Trace Context: version, trace id, parent id, flags. Later versions than 00 may append fields. */
const pattern = /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?)$/;

/** Parses the header `traceparent`. Returns null if the header is absent or invalid. Ids of zeros only are invalid. */
export function parseTraceparent(header: string | readonly string[] | undefined): SpanContext | null {
  const [, first, firstSpan, firstFlags, later, laterSpan, laterFlags] = typeof header === 'string' ? pattern.exec(header) ?? [] : [];
  const [traceId, spanId] = [first ?? later ?? '', firstSpan ?? laterSpan ?? ''];
  if (!/[^0]/.test(traceId) || !/[^0]/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(firstFlags ?? laterFlags ?? '', 16) };
}
