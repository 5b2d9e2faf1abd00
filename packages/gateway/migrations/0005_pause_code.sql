-- Why a relayer key is paused, for programs; `reason` is the same as a sentence for people. Null while the key runs.
alter table gateway_lines add column pause_code text check (pause_code in ('fees', 'balance', 'chain'));
update gateway_lines set pause_code = case
    when reason like 'The chain cannot be read%' then 'chain'
    when reason like 'The chain asks%' then 'fees'
    else 'balance'
  end
  where state = 'paused';
