// The beginning of a thread: TypeScript from here on.
import { register } from 'tsx/esm/api';

register();
await import('./crewMember.ts');
