-- True for a day that is over and that the contract did not credit, although the node was active long enough: nobody reported the day, or every
-- report was in vain. Null otherwise.
alter table gateway_activity add column lost boolean;
