/** A failure of the database's ground that its operator must mend. The message is a whole sentence to show without a stack. */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
}
