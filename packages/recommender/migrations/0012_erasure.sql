-- Entities that a recorded answer is for, so that the deletion of an entity finds its answers.
ALTER TABLE recent_answers ADD COLUMN entity_ids text[] NOT NULL DEFAULT '{}';
UPDATE recent_answers SET entity_ids = ARRAY(
  SELECT list ->> 'source_id' FROM json_array_elements(lists) AS list WHERE list ->> 'source_id' IS NOT NULL
  UNION SELECT request #>> '{parameters,entity_id}' WHERE json_typeof(request #> '{parameters,entity_id}') = 'string'
  UNION SELECT id FROM json_array_elements_text(
    CASE json_typeof(request #> '{parameters,entity_id}') WHEN 'array' THEN request #> '{parameters,entity_id}' ELSE '[]' END) AS id);

CREATE INDEX experiment_answers_by_user ON experiment_answers (run, user_id);
