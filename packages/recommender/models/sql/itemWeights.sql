-- Popularity weight d_i^pb and type of each item; ids without an entity row share the type ''.
SELECT item, power(count(*), (SELECT pb FROM parameters)) AS weight, coalesce(min(node_rows.type), '') AS type
FROM histories
JOIN node_rows ON node_rows.number = histories.item
GROUP BY item
