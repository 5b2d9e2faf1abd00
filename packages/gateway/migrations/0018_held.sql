-- backward-compatible: an earlier release leaves the columns null and judges each message anew.
-- The block in whose state a message would fail or needs no transaction: the message waits until the block is final or a reorganization removes it.
-- A code without a block marks a message that may need no transaction.
ALTER TABLE gateway_requests ADD COLUMN held_block bigint, ADD COLUMN held_hash bytea, ADD COLUMN held_code text;
CREATE INDEX gateway_requests_held ON gateway_requests (deployment) WHERE state = 'verified' AND held_block IS NOT NULL;
