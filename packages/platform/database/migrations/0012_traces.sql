-- The header traceparent (W3C Trace Context) of what caused the work, so that a trace leads from a request to its job and its callback.
alter table jobs add column traceparent text;
alter table webhook_deliveries add column traceparent text;
