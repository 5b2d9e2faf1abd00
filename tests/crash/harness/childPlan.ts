import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPoints } from './pointProgram.ts';

/** What the children of a program do at their points. The children read the folder at each point; see childPoints.mjs. */
export interface ChildPlan {
  folder: string;
  /** Begins to list points anew. One child dies at the point `kill`. A child that runs already keeps its name. */
  begin(kill?: string): Promise<void>;
  /** Whether a child has died at the point. */
  hasDied(): Promise<boolean>;
  /** Points of all children, each with the name of its process, for example `1 before exit in engine 2`. */
  listPoints(): Promise<string[]>;
}

/** @param parent folder for the folder of the plan */
export function makeChildPlan(parent: string): ChildPlan {
  const folder = join(parent, 'plan');
  return {
    folder,
    async begin(kill) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      if (kill !== undefined) await writeFile(join(folder, 'kill'), kill);
    },
    hasDied: () => access(join(folder, 'killed')).then(() => true, () => false),
    listPoints: () => readPoints(join(folder, 'list')),
  };
}
