-- Finds the organizations with pending callbacks, the hosts of one organization, and the callback to a host that is due first.
create index webhook_deliveries_turns on webhook_deliveries (organization_id, host, next_attempt_at) where status = 'pending';
drop index webhook_deliveries_due;
