/**
 * A problem of the database server or its files that the operator must fix. The message is a complete sentence, to be shown without a stack trace.
 */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
}
