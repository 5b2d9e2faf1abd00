-- For each item and type, the best other items by the Gram matrix, P[i,j] d_j^(pb+1/2) up to a factor of the row; if values are equal
-- (to a millionth), the item with the smaller number wins. Rows of items that share users with most items are cut here, not earlier.
SELECT item, other, CAST(total AS DOUBLE) / 1e9 AS total, CAST(common AS DOUBLE) AS common
FROM (
  SELECT
    gram.item,
    gram.other,
    gram.total,
    gram.common,
    item_weights.type,
    row_number() OVER (
      PARTITION BY gram.item, item_weights.type
      ORDER BY round(CAST(gram.total AS DOUBLE) / 1e9 * item_weights.weight, 6) DESC, gram.other
    ) AS place
  FROM (
    SELECT
      one.item AS item,
      two.item AS other,
      CAST(sum(source_weights.weight) AS BIGINT) AS total,
      count(*) AS common
    FROM histories AS one
    JOIN histories AS two ON two.source = one.source AND two.item <> one.item
    JOIN source_weights ON source_weights.source = one.source
    GROUP BY one.item, two.item
  ) AS gram
  JOIN item_weights ON item_weights.item = gram.other
) AS ranked
WHERE place <= (SELECT candidate_limit FROM parameters)
ORDER BY item, type, place
