/** Returns the first line of an error's message. Log lines are for operators and omit the stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? error.name) : String(error);
}
