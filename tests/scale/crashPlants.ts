import { findPlant } from '../crash/plants/findPlant.ts';
import { plants } from '../crash/plants/plants.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Matches the operations and names of the faults that are planted. */
const only = new RegExp(process.env['VOUCH_TEST_PLANTS'] ?? '');
const shownCharacters = 300;

/** Plants faults in the operations of the tests `crash-…`. */
export const crashPlants: HeavyTest = {
  name: 'crash-plants',
  guarantee: 'faults that show only if the program dies are planted one after the other; the program dies at the points near each, and the check of the operation finds it',
  variables: ['VOUCH_TEST_PLANTS'],
  skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
  async run(print) {
    const chosen = plants.filter(({ name, operation }) => only.test(`${operation}: ${name}`));
    const unexpected: string[] = [];
    let found = 0;
    for (const plant of chosen) {
      print(`${plant.operation}: ${plant.name}`);
      const { kills, fault } = await findPlant(plant, () => undefined);
      print(fault === null ? `NOT FOUND in ${kills} kills${plant.hidden === undefined ? '' : `, as expected: ${plant.hidden}`}` : `found in ${kills} kills: ${fault.slice(0, shownCharacters)}`);
      if (fault !== null) found += 1;
      if ((fault === null) !== (plant.hidden !== undefined)) unexpected.push(plant.name);
    }
    print(`${found} of ${chosen.length} planted faults found, in ${new Set(chosen.map(({ operation }) => operation)).size} operations`);
    expectEqual('plants that were found unexpectedly, or not found', unexpected, []);
  },
};
