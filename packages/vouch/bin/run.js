// Runs the program in this process.
import { mapStacks } from './mapStacks.js';

mapStacks();
await import('../main.ts');
