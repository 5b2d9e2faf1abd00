-- What the processes of a running job mostly wait for, as its worker last measured it; null where they work or nothing is known.
alter table jobs add column waits_for text check (waits_for in ('processor'));
