import { collateralCheck } from './collateralCheck.ts';
import { collateralUpdate } from './collateralUpdate.ts';
import type { Command } from './command.ts';
import { exit } from './exit.ts';
import { explain } from './explain.ts';
import { configCheck } from './configCheck.ts';
import { doctor } from './doctor.ts';
import { keystoreImport } from './keystoreImport.ts';
import { keystoreInspect } from './keystoreInspect.ts';
import { keystoreNew } from './keystoreNew.ts';
import { rewards } from './rewards.ts';
import { runNode } from './runNode.ts';
import { status } from './status.ts';
import { version } from './version.ts';

/** All commands in the order of the help. The first entry is the program without a command. */
export const commands: readonly Command[] = [runNode, status, rewards, doctor, explain, exit, configCheck, collateralUpdate, collateralCheck, keystoreNew, keystoreImport, keystoreInspect, version];
