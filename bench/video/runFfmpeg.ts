import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the installed ffmpeg, or FFMPEG_PATH, with pictures on its standard input, because the product's encoder intentionally lacks the settings of the benchmarks.
 * @throws Error with the messages of ffmpeg
 */
export async function runFfmpeg(args: readonly string[], pictures: readonly Uint8Array[]): Promise<void> {
  const program = process.env['FFMPEG_PATH'] ?? 'ffmpeg';
  const child = spawn(program === 'none' ? 'ffmpeg' : program, ['-v', 'error', '-y', ...args], { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const closed = once(child, 'close');
  for (const picture of pictures) if (!child.stdin.write(picture)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = await closed;
  if (code !== 0) throw new Error(`ffmpeg ended with ${String(code)}: ${said}`);
}
