/**
 * Converts finished work units to calls of a progress function, one call per 0.5 % of the total, so loops can report every
 * unit cheaply. The meter checks for an abort at the same intervals.
 */
export class ProgressMeter {
  private readonly report: (fraction: number) => void;
  private total: number;
  private done = 0;
  private next = 0;

  constructor(total: number, report: (fraction: number) => void) {
    this.total = Math.max(total, 1);
    this.report = report;
  }

  /** Takes units off the total, for work that turns out not to be needed. */
  omit(units: number): void {
    this.total = Math.max(this.total - units, 1);
  }

  advance(units: number): void {
    this.done += units;
    if (this.done < this.next) return;
    this.next = this.done + this.total / 200;
    this.report(Math.min(1, this.done / this.total));
  }
}
