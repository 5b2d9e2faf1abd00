-- The newest block that the intake knew when it accepted a message: a simulation on an older block does not decide on the message.
alter table gateway_requests add column verified_block bigint;
