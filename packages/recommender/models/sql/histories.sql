-- The latest entries of each source, up to the history limit. A source that is also an item is its own oldest entry.
SELECT source, item
FROM (
  SELECT
    source,
    item,
    row_number() OVER (PARTITION BY source ORDER BY own, time DESC NULLS LAST, position DESC) AS recency
  FROM (
    SELECT source, target AS item, 0 AS own, time, position FROM pair_rows WHERE weight > 0
    UNION ALL
    SELECT number AS source, number AS item, 1 AS own, CAST(NULL AS DOUBLE) AS time, CAST(0 AS BIGINT) AS position
    FROM node_rows
    WHERE number IN (SELECT source FROM pair_rows WHERE weight <> 0)
      AND (
        number IN (SELECT target FROM pair_rows WHERE weight > 0)
        OR type IN (SELECT node_rows.type FROM node_rows JOIN pair_rows ON pair_rows.target = node_rows.number AND pair_rows.weight > 0)
      )
  ) AS entries
) AS ranked
WHERE recency <= (SELECT history_cap FROM parameters)
