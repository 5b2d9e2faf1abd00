import { writeSync } from 'node:fs';
import { AV_LOG_ERROR, AV_LOG_QUIET, AV_LOG_WARNING, type AVLogLevel } from 'node-av/constants';
import { getFFmpegInfo, Log } from 'node-av/lib';
import { disconnect, onMessage } from '@vouch/platform/process/nodeChild';
import { openRawOutput } from './libav/rawOutput.ts';
import { waitForPipe } from './libav/waitForPipe.ts';
import { endOfComplaints, makeHeader, makeTaskEnd } from './protocol/records.ts';
import type { Task } from './protocol/task.ts';
import { encodeAnimationFile } from './tasks/animation.ts';
import { encodeClipFile } from './tasks/clip.ts';
import { encodeSoundFile } from './tasks/encodeSound.ts';
import { writePackets } from './tasks/packets.ts';
import { writePictures } from './tasks/pictures.ts';
import { encodePieceFile } from './tasks/piece.ts';
import { probe } from './tasks/probe.ts';
import { writeSound } from './tasks/sound.ts';
import { encodeStillFile } from './tasks/still.ts';
import { writeSubtitles } from './tasks/subtitles.ts';

/** Log level of the libraries per task, for standard error: why a file cannot be probed, and where a container is damaged. */
const heard: Partial<Record<Task['kind'], AVLogLevel>> = { probe: AV_LOG_ERROR, pictures: AV_LOG_WARNING };

const bytesBefore = process.memoryUsage.rss();

/**
 * The only program that loads the libraries of node-av, which are licensed under the GPL. The program runs one task at a time
 * and ends after the first failed task, or when the parent closes the connection. All calls are synchronous because the
 * program has nothing else to do, so SIGTERM ends the program at once. Each successful task closes everything that it opened.
 */
onMessage((message) => {
  const task = message as Task;
  Log.setLevel(heard[task.kind] ?? AV_LOG_QUIET);
  try {
    run(task);
    tellEnd();
  } catch (error) {
    writeSync(2, `${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    // Later, because Node is still delivering the message.
    setImmediate(disconnect);
  }
});

function tellEnd(): void {
  waitForPipe(() => writeSync(2, Buffer.of(endOfComplaints)));
  const { user, system } = process.cpuUsage();
  const output = openRawOutput();
  output.write(makeTaskEnd({ cpuSeconds: (user + system) / 1e6, grownBytes: process.memoryUsage.rss() - bytesBefore }));
  output.flush();
}

function answer(text: string): void {
  const data = Buffer.from(text);
  const output = openRawOutput();
  output.write(makeHeader(0, 0, data.length));
  output.write(data);
  output.flush();
}

function run(task: Task): void {
  switch (task.kind) {
    case 'version':
      return answer(getFFmpegInfo().version);
    case 'probe':
      return answer(JSON.stringify(probe(task.source)));
    case 'packets':
      return writePackets(task.source);
    case 'subtitles':
      return writeSubtitles(task.source, task.stream);
    case 'pictures':
      return writePictures(task);
    case 'sound':
      return writeSound(task);
    case 'piece':
      return encodePieceFile(task);
    case 'encode-sound':
      return encodeSoundFile(task);
    case 'still':
      return encodeStillFile(task);
    case 'animation':
      return encodeAnimationFile(task);
    case 'clip':
      return encodeClipFile(task);
  }
}
