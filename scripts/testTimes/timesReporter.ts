import { relative, sep } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { describeTimes } from './describeTimes.ts';

/**
 * Vitest reporter that prints the durations of test groups and files after a complete run. Prints nothing after a partial run.
 */
export class TimesReporter implements Reporter {
  #vitest: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const vitest = this.#vitest;
    if (vitest === null || vitest.config.testNamePattern !== undefined) return;
    if (new Set(modules.map(({ project }) => project.name)).size < 2) return;
    if (modules.length < (await vitest.globTestSpecifications()).length) return;
    const files = modules.map((module) => {
      const { collectDuration, duration, setupDuration } = module.diagnostic();
      return { path: relative(vitest.config.root, module.moduleId).split(sep).join('/'), seconds: (collectDuration + duration + setupDuration) / 1_000 };
    });
    process.stdout.write(`\n${describeTimes(files)}\n\n`);
  }
}
