import { expectEqual, expectRefused, withVouch, type HeavyTest } from './heavyTest.ts';
import { interactionRows } from './largeFiles.ts';

const badRow = 4_000_000;
const rows = 4_200_000;

/**
 * Checks the error position for an unclosed quote: the quote swallows the rest of the file, and the error must name the line of
 * the opening quote.
 */
export const lateQuote: HeavyTest = {
  name: 'lateQuote',
  guarantee: 'an unbalanced quote at row 4,000,000 is refused with its row and line, and nothing is stored',
  skip: async () => null,
  run: (print) =>
    withVouch(async (running) => {
      const content = interactionRows(rows, (row) => (row === badRow ? 'view,u1,i1,1700000000,"{\n' : null));
      const upload = () => running.client.upload([{ name: 'late.csv', content }], ['late']);
      const answer = await expectRefused(running, upload, { status: 422, code: 'invalid-csv' }, print);
      const [fault] = (answer.body as { errors: { location: string; row: number; line: number }[] }).errors;
      expectEqual('place of the fault', { location: fault?.location, row: fault?.row, line: fault?.line }, {
        location: 'file:late.csv', row: badRow, line: badRow + 1,
      });
    }),
};
