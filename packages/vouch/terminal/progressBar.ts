import type { Clock } from '@vouch/platform/process/systemInterfaces';

const cells = 24;
/** Shortest interval between redraws; more frequent redraws cost more than they show. */
const redrawMs = 100;
/** Share of the stage from which the elapsed time allows an estimate of the remaining time. */
const leastShare = 0.05;

export interface ProgressBar {
  /** @param share of the stage, 0–1 */
  show(stage: string, share: number): void;
  /** Removes the bar, so that the next line starts at the left edge. */
  clear(): void;
}

/** Shows the current stage and its progress in one terminal line. Does nothing if the stream is not a terminal. */
export function openProgressBar(stream: { isTTY?: boolean; write(text: string): unknown }, clock: Clock): ProgressBar {
  if (stream.isTTY !== true) return { show: () => {}, clear: () => {} };
  let current = { stage: '', since: 0 };
  let drawnAt = -Infinity;
  return {
    show(stage, share) {
      const now = clock.now();
      const begins = stage !== current.stage;
      if (begins) current = { stage, since: now };
      if (!begins && now - drawnAt < redrawMs && share < 1) return;
      drawnAt = now;
      stream.write(`\r\u001b[K${describeProgress(stage, share, (now - current.since) / 1000)}`);
    },
    clear() {
      stream.write('\r\u001b[K');
    },
  };
}

/**
 * Formats the bar, e.g. `analyse   ███████████░░░░░░░░░░░░░  45 %  12 s left`.
 * @param share progress of the stage, 0–1
 * @param seconds time since the start of the stage
 */
export function describeProgress(stage: string, share: number, seconds: number): string {
  const full = Math.round(Math.max(0, Math.min(1, share)) * cells);
  const left = share >= leastShare && share < 1 ? `  ${Math.ceil((seconds * (1 - share)) / share)} s left` : '';
  return `${stage.padEnd(9)} ${'█'.repeat(full)}${'░'.repeat(cells - full)} ${String(Math.floor(share * 100)).padStart(3)} %${left}`;
}
