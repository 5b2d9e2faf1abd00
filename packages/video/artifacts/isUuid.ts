const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, the form of run ids. PostgreSQL reports an error for any other text in a UUID column. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
