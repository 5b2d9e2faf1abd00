-- A relayer key that another deployment on the same chain uses.
alter table gateway_lines drop constraint gateway_lines_pause_code_check;
alter table gateway_lines add constraint gateway_lines_pause_code_check
  check (pause_code in ('fees', 'balance', 'chain', 'signer-unavailable', 'key-in-use'));
