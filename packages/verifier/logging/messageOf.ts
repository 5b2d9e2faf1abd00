/** What was thrown as a sentence: a log is for people, and a stack trace tells them nothing. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error);
}
