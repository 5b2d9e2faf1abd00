-- What each of these pairs counts. A weight is the product of the type's, the interaction's own and the rating's weight, and is
-- negative if any of them is. A rating counts .5 at the source's mean, and half the scale above or below it 1 more or less. The
-- interactions after the last negative one decide, by the largest of them; without any, the negative one does. No rating counts 0,
-- because items with the weight 0 count as not seen.
SELECT
  source_id,
  target_id,
  coalesce(
    max(CASE WHEN place > last_negative AND weight > 0 THEN weight END),
    max(CASE WHEN place = last_negative THEN weight END),
    CAST(0 AS DOUBLE)
  ) AS weight
FROM (
  SELECT
    source_id,
    target_id,
    weight,
    place,
    max(CASE WHEN weight < 0 THEN place ELSE 0 END) OVER (PARTITION BY source_id, target_id) AS last_negative
  FROM (
    SELECT
      source_id,
      target_id,
      CASE WHEN type_weight < 0 OR own_weight < 0 OR rating_weight < 0 THEN -1 ELSE 1 END
        * abs(type_weight * coalesce(own_weight, 1) * CASE WHEN rating_weight = 0 THEN 0.01 ELSE coalesce(rating_weight, 1) END) AS weight,
      row_number() OVER (PARTITION BY source_id, target_id ORDER BY timestamp NULLS FIRST, position) AS place
    FROM (
      SELECT
        events.source_id,
        events.target_id,
        events.timestamp,
        events.position,
        events.type_weight,
        events.own_weight,
        CASE
          WHEN events.rating BETWEEN rating_scale.lowest AND rating_scale.highest
          THEN greatest(-1.0, least(1.5, 0.5 + (events.rating - rating_means.mean) / ((rating_scale.highest - rating_scale.lowest) / 2)))
        END AS rating_weight
      FROM events
      CROSS JOIN rating_scale
      LEFT JOIN rating_means ON rating_means.source_id = events.source_id
    ) AS rated
  ) AS weighed
) AS placed
GROUP BY source_id, target_id
