import type { Clock } from '@vouch/platform/process/doors';

const cells = 24;
/** Drawing more often costs more than it shows. */
const redrawMs = 100;
/** From this share on the time so far tells something of the time that is left. */
const leastShare = 0.05;

export interface ProgressBar {
  /** @param share of the stage, 0–1 */
  show(stage: string, share: number): void;
  /** Takes the bar away, so that the next line begins at the left. */
  clear(): void;
}

/** A line on the terminal that says what is being done and how far it is; where nobody watches, nothing. */
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

/** `analyse   ███████████░░░░░░░░░░░░░  45 %  12 s left` */
export function describeProgress(stage: string, share: number, seconds: number): string {
  const full = Math.round(Math.max(0, Math.min(1, share)) * cells);
  const left = share >= leastShare && share < 1 ? `  ${Math.ceil((seconds * (1 - share)) / share)} s left` : '';
  return `${stage.padEnd(9)} ${'█'.repeat(full)}${'░'.repeat(cells - full)} ${String(Math.floor(share * 100)).padStart(3)} %${left}`;
}
