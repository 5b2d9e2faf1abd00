import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The cuts that one detector of PySceneDetect found in one clip. */
export interface PySceneDetectLine {
  clip: string;
  detector: string;
  version: string;
  /** Wall-clock time, without the start of Python. */
  seconds: number;
  /** Times of the first frames of new scenes, in seconds. */
  cuts: number[];
}

const script = fileURLToPath(new URL('cutsPySceneDetect.py', import.meta.url));

/**
 * Runs PySceneDetect, which is not part of the repository, on clips.
 * @param python interpreter whose environment contains `pip install scenedetect`
 * @param only name of one detector; default: all detectors
 * @throws Error with the messages of PySceneDetect
 */
export async function runPySceneDetect(python: string, clips: readonly string[], only?: string): Promise<PySceneDetectLine[]> {
  const child = spawn(python, [script, ...(only === undefined ? [] : ['--only', only]), ...clips], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let said = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`PySceneDetect ended with ${code}: ${said}`);
  return out.trim().split('\n').map(parseLine);
}

function parseLine(text: string): PySceneDetectLine {
  const line: unknown = JSON.parse(text);
  if (!isLine(line)) throw new Error(`PySceneDetect printed ${text}`);
  return line;
}

function isLine(line: unknown): line is PySceneDetectLine {
  return typeof line === 'object' && line !== null && 'clip' in line && 'detector' in line && 'version' in line && 'cuts' in line && Array.isArray(line.cuts);
}
