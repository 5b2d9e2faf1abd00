import type { ProgressBar } from './progressBar.ts';

/** Shows the progress of a call on the terminal, and removes the bar when the call ends. */
export async function withProgress<Result>(work: (show: ProgressBar['show']) => Promise<Result>): Promise<Result> {
  const [{ systemInterfaces }, { openProgressBar }] = await Promise.all([import('@vouch/platform/process/systemInterfaces'), import('./progressBar.ts')]);
  const bar = openProgressBar(process.stderr, systemInterfaces.clock);
  try {
    return await work(bar.show);
  } finally {
    bar.clear();
  }
}
