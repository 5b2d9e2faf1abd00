import type { DatabaseServer } from './database/databaseServer.ts';
import { SimulatedDatabase } from './database/simulatedDatabase.ts';
import { describeFault, type Fault } from './faults.ts';
import { SimulatedProcess } from './kernel/simulatedProcess.ts';
import type { Simulation } from './kernel/simulation.ts';

/** A running simulated process with its view of the database. */
export interface Member {
  process: SimulatedProcess;
  database: SimulatedDatabase;
}

/** Starts the program of a process. Rejects if the program cannot start; then it is started again. */
export type Program = (member: Member) => Promise<void>;

/** Time in ms after which a program that could not start is started again. */
const restartMs = 3_000;

/** The simulated processes of one installation, and the faults that befall them. */
export class Cluster {
  readonly #simulation: Simulation;
  readonly #server: DatabaseServer;
  readonly #programs: ReadonlyMap<string, Program>;
  readonly #members = new Map<string, Member>();
  #lives = 0;
  /** Time in ms at which a process was last hit by a fault, or the fault's effect ended. */
  readonly #hitAtMs = new Map<string, number>();

  constructor(simulation: Simulation, server: DatabaseServer, programs: ReadonlyMap<string, Program>) {
    this.#simulation = simulation;
    this.#server = server;
    this.#programs = programs;
    server.notify = (notification) => {
      for (const { process, database } of this.#members.values()) if (process.alive) database.hear(notification);
    };
  }

  start(): void {
    for (const name of this.#programs.keys()) this.#simulation.after(0, () => this.#startProcess(name));
  }

  plan(faults: readonly Fault[]): void {
    for (const fault of faults) this.#simulation.after(fault.atMs - this.#simulation.nowMs, () => this.#inflict(fault));
  }

  member(name: string): Member | undefined {
    return this.#members.get(name);
  }

  /** Whether a process has lived without a fault for a time. */
  isHealthy(name: string, forMs: number): boolean {
    const member = this.#members.get(name);
    return member?.process.alive === true && !member.process.paused && this.#simulation.nowMs - (this.#hitAtMs.get(name) ?? 0) > forMs;
  }

  async #startProcess(name: string): Promise<void> {
    const life = this.#lives++;
    const process = new SimulatedProcess(this.#simulation, name, life);
    const member = { process, database: new SimulatedDatabase(process, this.#server) };
    this.#members.set(name, member);
    this.#hit(name, 0);
    this.#programs.get(name)!(member).catch((error: unknown) => {
      this.#simulation.story.tell(name, `cannot start: ${(error as Error).message}`);
      this.#kill(name, restartMs);
    });
  }

  #kill(name: string, downMs: number): void {
    const member = this.#members.get(name);
    if (member === undefined || !member.process.alive) return;
    member.process.kill();
    this.#simulation.after(downMs, () => {
      this.#simulation.story.tell(name, 'starts again');
      return this.#startProcess(name);
    });
  }

  #hit(name: string, lastsMs: number): void {
    this.#hitAtMs.set(name, Math.max(this.#hitAtMs.get(name) ?? 0, this.#simulation.nowMs + lastsMs));
  }

  async #inflict(fault: Fault): Promise<void> {
    const who = 'process' in fault ? fault.process : 'database';
    this.#simulation.story.tell(who, describeFault(fault));
    if (!('process' in fault)) {
      for (const name of this.#programs.keys()) this.#hit(name, 'ms' in fault ? fault.ms : 0);
      if (fault.kind === 'database-restart') return this.#server.restart(fault.ms);
      this.#server.clockStepMs += fault.stepMs;
      this.#server.lastClockStepAtMs = this.#simulation.nowMs;
      return;
    }
    const { process, database } = this.#members.get(fault.process)!;
    this.#hit(fault.process, 'ms' in fault ? fault.ms : 0);
    switch (fault.kind) {
      case 'kill': return this.#kill(fault.process, fault.downMs);
      case 'pause': return process.pause(fault.ms);
      case 'cut-off': {
        database.faults.cutOffUntilMs = this.#simulation.nowMs + fault.ms;
        return database.deafen(fault.ms);
      }
      case 'slow': {
        process.slowness = fault.factor;
        return this.#simulation.after(fault.ms, () => { process.slowness = 1; });
      }
      case 'deaf': return database.deafen(fault.ms);
      case 'clock': {
        process.clockStepMs += fault.stepMs;
        return;
      }
      case 'lose-commit': {
        database.faults.commit = fault.outcome;
        return;
      }
      case 'lose-statement': database.faults.statement = fault.outcome;
    }
  }
}
