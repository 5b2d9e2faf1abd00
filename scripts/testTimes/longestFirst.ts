import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { budgetOf } from '../../vitest.budgets.ts';

/** Files with a budget of at least this percentage of a run start first; started last, such a file would run alone at the end. */
const longPercent = 4;

/**
 * Vitest sequencer that starts the longest files first. Uses the budgets, so that the order is right even without times of an
 * earlier run.
 */
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
