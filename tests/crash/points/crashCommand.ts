import { chooseNear, killAtEach, type CrashPlan, type PointsReport } from './crashAtPoints.ts';
import { openPointWorld, type PointWorld } from './pointWorld.ts';
import { pointsToVisit } from './quietPoints.ts';

/** A command of `vouch`, during which its process dies, beside a server that stays alive. */
export interface PointCommand {
  name: string;
  /** See `PointOperation`. */
  beside?: RegExp;
  /** Called once, with a running server. */
  prepare(world: PointWorld): Promise<void>;
  /** Returns the arguments and environment variables of the command. */
  command(world: PointWorld, id: string): Promise<{ words: readonly string[]; environment?: Readonly<Record<string, string>> }>;
  /** Checks what the dead command left, repeats the command, and checks the result. Returns faults. */
  recover(world: PointWorld, id: string): Promise<string[]>;
}

/** Lists the points of an undisturbed command. Then the command dies once at each point, and its promises are checked. */
export async function crashCommandAtPoints(command: PointCommand, print: (line: string) => void, plan: CrashPlan = {}): Promise<PointsReport> {
  const world = await openPointWorld(['--only', 'recommender'], plan);
  const server = await world.start();
  try {
    await command.prepare(world);
    const run = async (id: string, options: { kill?: string; list?: boolean }): Promise<string | number> => {
      const { words, environment = {} } = await command.command(world, id);
      const service = await world.run(words, { ...options, environment });
      const how = await service.ended;
      if (how !== 0 && how !== 'SIGKILL') throw new Error(`vouch ${words.join(' ')} ended with ${how}:\n${service.output()}`);
      return how;
    };
    await run('first', { list: true });
    const points = chooseNear(pointsToVisit(await world.listPoints(), command.beside, plan.death), plan);
    return await killAtEach(points, print, plan, async (id, _next, kill) => {
      const died = (await run(id, { kill })) === 'SIGKILL';
      return { died, faults: await command.recover(world, id) };
    });
  } finally {
    await server.kill();
    await world.close();
  }
}
