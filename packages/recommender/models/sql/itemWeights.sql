-- The popularity of each item, d_i^pb, and its type; ids without an entity row have the type '' in common.
SELECT item, power(count(*), (SELECT pb FROM parameters)) AS weight, coalesce(min(node_rows.type), '') AS type
FROM histories
JOIN node_rows ON node_rows.number = histories.item
GROUP BY item
