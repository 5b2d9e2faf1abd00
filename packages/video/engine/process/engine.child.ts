import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { Problem } from '@vouch/platform/errors/problem';
import { describeEnd, isInterruption } from '@vouch/platform/process/childEnd';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { onMessage, send } from '@vouch/platform/process/nodeChild';
import { mediaErrors } from '../mediaErrors.ts';
import { NoMediaBackend } from '../backend/openMediaBackend.ts';
import { Engine } from './engine.ts';
import type { EngineAnswers, EngineMessage, EngineQuestion, EngineSetup, ReportProgress } from './engineCalls.ts';

// The program of the engine's process. The first message is the set-up; each further message is a call. The parent stops the
// process.

let engine: Engine | null = null;

onMessage((message) => {
  if (engine === null) {
    engine = new Engine(message as EngineSetup, systemInterfaces.timers);
    return;
  }
  void answer(engine, message as EngineQuestion);
});

async function answer(asked: EngineAnswers, { id, call, ask }: EngineQuestion): Promise<void> {
  // Each call has its own type of request, which TypeScript cannot derive from the name of a method.
  const method = asked[call] as (ask: unknown, progress: ReportProgress) => Promise<unknown>;
  try {
    say({ id, kind: 'answer', answer: await method.call(asked, ask, reportTo(id)) });
  } catch (error) {
    say(failureMessage(id, error));
  }
}

function failureMessage(id: number, error: unknown): EngineMessage {
  const known = asProblem(error);
  if (known instanceof Problem) return { id, kind: 'problem', code: known.code, detail: known.detail };
  return { id, kind: 'failure', message: known instanceof Error ? (known.stack ?? known.message) : String(known) };
}

function asProblem(error: unknown): unknown {
  if (error instanceof NoMediaBackend) return mediaErrors.problem('decoder-missing', error.message);
  // The message of the error may contain paths.
  if (isInterruption(error)) return mediaErrors.problem('decoder-interrupted', `The decoder (${error.program}) ${describeEnd(error.end)}.`);
  if (!isDiskFull(error)) return error;
  return platformErrors.problem('storage-full', 'The disk became full during the summarization. Free space in the data folder, then start the run again.');
}

/** Reports progress in whole percent. */
function reportTo(id: number): ReportProgress {
  let said = -1;
  return (fraction) => {
    const percent = Math.floor(fraction * 100);
    if (percent <= said) return;
    said = percent;
    say({ id, kind: 'progress', fraction: Math.min(1, fraction) });
  };
}

function say(message: EngineMessage): void {
  send(message).catch(() => process.exit(1));
}
