import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { budgetOf } from '../../vitest.budgets.ts';

/** From this percentage of a whole run on, a file that starts last would run alone at the end. */
const longPercent = 4;

/** Starts the files of the longest rooms first, also where no earlier run has left their times. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => {
      const path = relative(this.ctx.config.root, moduleId).split(sep).join('/');
      return (budgetOf(path)?.file ?? 0) >= longPercent;
    };
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
