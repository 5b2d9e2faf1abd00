import type { MigrationSet } from '@vouch/platform/database/migrate';
import type { Fault } from './faults.ts';
import type { Simulation } from './kernel/simulation.ts';

/** What happens in a run: both lists follow from the seed, and shrinking removes entries. */
export interface Plan<Work = unknown, AnyFault = Fault> {
  /** Simulated time in ms until which faults happen. */
  untilMs: number;
  /** Requests of clients. */
  work: Work[];
  faults: AnyFault[];
}

/** Figures of a run that kept all promises. */
export interface Figures {
  statements: number;
  /** Number of requests by how they ended. */
  counts: Record<string, number>;
}

/** A part of the installation with its clients, faults and promises. */
export interface Scenario<Work = unknown, AnyFault = Fault> {
  name: string;
  /** Usual duration in simulated hours. */
  hours: number;
  migrations: readonly MigrationSet[];
  /** Statements that create tables for the promises. */
  tables: string;
  plan(simulation: Simulation, hours: number): Plan<Work, AnyFault>;
  /** @throws Violation */
  run(simulation: Simulation, url: string, plan: Plan<Work, AnyFault>): Promise<Figures>;
}
