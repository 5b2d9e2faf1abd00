-- Transactions that ask again for the random word of attestations that wait for it.
alter table gateway_batches drop constraint gateway_batches_purpose_check;
alter table gateway_batches add constraint gateway_batches_purpose_check check (purpose in ('operations', 'filler', 'activity', 'randomness'));
