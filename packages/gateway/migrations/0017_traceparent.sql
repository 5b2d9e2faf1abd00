-- backward-compatible: an earlier release leaves the column null, and its messages have no span.
-- The trace that a message continues, until the span of the message is sent; null for a message without a trace.
ALTER TABLE gateway_requests ADD COLUMN traceparent text;
CREATE INDEX gateway_requests_traced ON gateway_requests (deployment, ended_at) WHERE traceparent IS NOT NULL;
