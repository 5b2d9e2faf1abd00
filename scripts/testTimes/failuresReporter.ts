import { relative, sep } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

/** Failures beyond this count are left out; the output of the default reporter has all of them. */
const shownFailures = 20;
const shownLines = 4;

/**
 * Vitest reporter that prints each failed test and the first lines of its error as the last output of a run, so that the reason of
 * a failure is in the last lines of a log that was cut off. Vitest starts all reporters at once, so the failures are printed when
 * the process ends, after what slower reporters print.
 */
export class FailuresReporter implements Reporter {
  #vitest: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const root = this.#vitest?.config.root ?? process.cwd();
    const failures = [
      ...modules.flatMap((module) => failuresOf(module, relative(root, module.moduleId).split(sep).join('/'))),
      ...unhandledErrors.map((error) => describe('error outside of tests', [error])),
    ];
    if (failures.length === 0) return;
    process.once('exit', () => { process.stdout.write(`\n${failures.length} failed:\n${failures.slice(0, shownFailures).join('\n')}\n\n`); });
  }
}

function failuresOf(module: TestModule, path: string): string[] {
  const tests = [...module.children.allTests('failed')].map((test) => describe(`${path} > ${test.fullName}`, test.result().errors ?? []));
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).map((suite) => describe(`${path} > ${suite.fullName}`, suite.errors()));
  const own = module.errors();
  return [...(own.length === 0 ? [] : [describe(path, own)]), ...suites, ...tests];
}

function describe(name: string, errors: readonly { message: string }[]): string {
  const lines = errors.flatMap(({ message }) => message.split('\n').slice(0, shownLines).map((line) => `    ${line.slice(0, 300)}`));
  return [`  ${name}`, ...lines].join('\n');
}
