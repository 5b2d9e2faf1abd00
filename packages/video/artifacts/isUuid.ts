const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of a run; PostgreSQL refuses any other text in a column of ids. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
