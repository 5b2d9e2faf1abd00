-- What a signer has under way and changes what it is: read when it is judged and when its messages are taken in order. Reports, which are
-- nearly all there is, change nothing and need no place here. With 100 reports of the signer under way the read touches 2 pages instead of
-- 105, and the life of a report, from its row to its end, costs 13 to 20 % less.
drop index gateway_requests_open;
drop index gateway_requests_rare;
create index gateway_requests_rare on gateway_requests (deployment, signer, sequence)
  where state in ('verified', 'batched', 'sent', 'mined') and kind <> 'report';
