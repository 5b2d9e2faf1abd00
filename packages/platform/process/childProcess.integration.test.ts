import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ChildFailed, type ChildEnd } from './childEnd.ts';
import { runChild, startChild, type Child, type ChildLimits, type ChildRequest } from './childProcess.ts';
import { systemInterfaces } from './systemInterfaces.ts';
import { startNodeChild } from './nodeChild.ts';
import { createGroupMeter, groupLives, measureGroup } from './processGroup.ts';

const { timers } = systemInterfaces;

function shell(script: string, more: Partial<ChildRequest> = {}): Child {
  return startChild({ command: 'sh', args: ['-c', script], ...more }, timers);
}

function failure(child: Pick<Child, 'done'>): Promise<ChildFailed> {
  return child.done.then(
    () => { throw new Error('the child ended well'); },
    (error: unknown) => {
      if (error instanceof ChildFailed) return error;
      throw error;
    },
  );
}

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 48_000 && !holds(); round += 1) await timers.sleep(5);
  expect(holds()).toBe(true);
}

function pidOf(child: Child): number {
  if (child.pid === null) throw new Error('the child was not started');
  return child.pid;
}

describe('a child process', () => {
  it('gives its output and resolves when it ended well', async () => {
    const child = shell('cat; echo done', { stdin: 'pipe', stdout: 'pipe' });
    child.stdin?.end('hello ');
    expect(child.stdout === null ? '' : await text(child.stdout)).toBe('hello done\n');
    await child.done;
  });

  it('writes up to two further pipes, whose bytes count as output', async () => {
    const child = shell('echo first; echo second >&4; echo third >&5', { stdout: 'pipe', outputs: 2, limits: { outputBytes: 100 } });
    expect(await Promise.all([child.stdout, ...child.outputs].map((pipe) => (pipe === null ? '' : text(pipe))))).toEqual(['first\n', 'second\n', 'third\n']);
    await child.done;
    const loud = shell('yes >&4', { outputs: 1, limits: { outputBytes: 100_000 } });
    loud.outputs[0]?.resume();
    expect((await failure(loud)).end.kind).toBe('output');
  });

  it('gets a few named variables and what it is given, nothing else of ours', async () => {
    process.env['VOUCH_TEST_SECRET'] = 'not for children';
    const output = await runChild(
      { command: 'env', args: [], env: { GIVEN: 'yes' }, limits: { outputBytes: 10_000 } }, timers);
    delete process.env['VOUCH_TEST_SECRET'];
    const names = output.trim().split('\n').map((line) => line.slice(0, line.indexOf('=')));
    expect(names).toContain('GIVEN');
    expect(names.filter((name) => !['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'PWD', 'OLDPWD', 'SHLVL', '_', 'GIVEN']
      .includes(name))).toEqual([]);
  });

  it('tells all that it writes to standard error to whoever hears it', async () => {
    const heard: Buffer[] = [];
    await shell('i=0; while [ $i -lt 3000 ]; do echo "line $i" >&2; i=$((i+1)); done', { heardStderr: (chunk) => heard.push(chunk) }).done;
    expect(Buffer.concat(heard).toString().trim().split('\n')).toEqual(Array.from({ length: 3000 }, (_, line) => `line ${line}`));
  });

  it('runs with lower priority where asked', async () => {
    const child = startNodeChild({
      file: new URL('../testing/children/answer.child.ts', import.meta.url),
      niceness: 7,
      parse: (message) => message as { heard: unknown; niceness: number; names: string[] },
      received: (message) => {
        expect(message.heard).toEqual({ question: [1, 'two'] });
        expect(message.niceness).toBe(7);
      },
    }, timers);
    await child.send({ question: [1, 'two'] });
    await child.done;
    await expect(child.send('late')).rejects.toThrow('the child process has ended');
  });

  it.skipIf(process.platform !== 'linux')('gives way with its whole session, and at niceness 19 to everything that wakes', async () => {
    const output = await runChild({
      // The policy is the 41st field; 5 is SCHED_IDLE.
      command: 'sh', args: ['-c', 'cut -d " " -f 41 /proc/$$/stat; cat /proc/$$/autogroup 2>/dev/null'],
      niceness: 19, limits: { outputBytes: 1_000 },
    }, timers);
    const [policy, session] = output.split('\n');
    if (existsSync('/usr/bin/chrt')) expect(policy).toBe('5');
    // Kernels without autogroup have no such file.
    if (session !== '') expect(session).toMatch(/ nice 10$/);
  });
});

describe('every way to die has its reason and sentence', () => {
  const cases: [string, string, Partial<ChildRequest>, ChildEnd, string][] = [
    ['an exit code, with the last line of standard error', 'echo first >&2; echo bad codec >&2; exit 3', {},
      { kind: 'exited', code: 3 }, 'sh ended with code 3: bad codec'],
    ['an error that nobody caught in Node, not the version behind its stack',
      `${process.execPath} -e 'throw new TypeError("no such codec", { cause: new Error("none") })'`, {},
      { kind: 'exited', code: 1 }, 'sh ended with code 1: TypeError: no such codec'],
    ['an error that the program wrote with its stack, not the last function of the stack',
      `${process.execPath} -e 'console.error(new TypeError("no such codec").stack); process.exitCode = 1'`, {},
      { kind: 'exited', code: 1 }, 'sh ended with code 1: TypeError: no such codec'],
    ['a signal from outside', 'kill -KILL $$', {}, { kind: 'signal', signal: 'SIGKILL' }, 'sh was ended by SIGKILL from outside'],
    ['too long', 'sleep 100', { limits: { wallMs: 150 } }, { kind: 'timed-out', wallMs: 150 },
      'sh did not end within 0.15 s and was stopped'],
    ['too long, ignoring SIGTERM', 'trap "" TERM; while :; do sleep 0.1; done', { limits: { wallMs: 150 }, killGraceMs: 100 },
      { kind: 'timed-out', wallMs: 150 }, 'sh did not end within 0.15 s and was stopped'],
    ['too much standard error', 'while :; do echo flood >&2; done', { limits: { outputBytes: 100_000 } },
      { kind: 'output', outputBytes: 100_000 }, 'sh wrote more than 100000 bytes of output and was stopped'],
    ['too much processor time', 'while :; do :; done', { limits: { cpuSeconds: 0.3 } },
      { kind: 'processor-time', cpuSeconds: 0.3 }, 'sh used more than 0.3 s of processor time and was stopped'],
    ['too large a file', `exec head -c 2000000 /dev/zero > ${join(tmpdir(), 'vouch-too-large')}`,
      { limits: { diskBytes: 1_000_000 } }, { kind: 'disk', diskBytes: 1_000_000 },
      'sh wrote a file larger than 1 MB and was stopped'],
  ];
  it.each(cases)('%s', async (_title, script, more, end, sentence) => {
    const error = await failure(shell(script, more));
    expect(error.end).toEqual(end);
    expect(error.message).toBe(sentence);
  });

  it('a program that is not installed, and a folder that is not there', async () => {
    const missing = await failure(startChild({ command: 'no-such-program', args: [] }, timers));
    expect(missing.message).toBe('no-such-program could not be started: no-such-program is not installed or not executable');
    const nowhere = await failure(shell('true', { cwd: '/no/such/folder' }));
    expect(nowhere.end.kind).toBe('not-started');
  });

  it('more memory than its limit, measured for Node and refused by the kernel for programs', async () => {
    const limits: ChildLimits = { memoryBytes: 300_000_000 };
    const eater = startNodeChild({
      file: new URL('../testing/children/eatMemory.child.ts', import.meta.url), limits, parse: String, received: () => {},
    }, timers);
    const error = await failure(eater);
    expect(error.end).toMatchObject({ kind: 'memory', memoryBytes: 300_000_000 });
    expect(error.message).toMatch(/^eatMemory\.child used \d+ MB of memory, more than its limit of 300 MB, and was stopped$/);
    const refused = await failure(shell('exec awk \'BEGIN { s = "0123456789"; while (1) s = s s }\'', { limits }));
    expect(['exited', 'signal', 'memory']).toContain(refused.end.kind);
  });

  it('a message that cannot be read', async () => {
    const error = await failure(startNodeChild({
      file: new URL('../testing/children/talkNonsense.child.ts', import.meta.url),
      parse: () => { throw new Error('it is nonsense'); },
      received: () => {},
    }, timers));
    expect(error.message).toBe('talkNonsense.child sent a message that cannot be read (it is nonsense) and was stopped');
  });

  it('never shows a value of the given environment, and keeps only the end of a flood', async () => {
    const env = { TOKEN: 'very-secret-token-42' };
    const short = await failure(shell('echo "password $TOKEN" >&2; exit 1', { env }));
    expect(short.message).toBe('sh ended with code 1: password [secret]');
    const long = await failure(shell('i=0; while [ $i -lt 4000 ]; do echo "$i $TOKEN" >&2; i=$((i+1)); done; exit 1', { env }));
    expect(long.stderrTail).not.toContain('secret-token');
    expect(long.stderrTail.length).toBeLessThanOrEqual(4096);
    expect(long.stderrTail).toContain('3999 [secret]');
  });
});

describe('nothing of the group outlives', () => {
  const tree = 'trap "" TERM; sleep 1000 & (trap "" TERM; sleep 1001 & sleep 1002) & while :; do sleep 0.05; done';

  it('a cancel, also where everybody ignores SIGTERM', async () => {
    const controller = new AbortController();
    const child = shell(tree, { signal: controller.signal, killGraceMs: 100 });
    await until(() => (measureGroup(pidOf(child))?.members ?? 6) >= 5);
    controller.abort();
    expect((await failure(child)).end).toEqual({ kind: 'cancelled' });
    expect(groupLives(pidOf(child))).toBe(false);
  });

  it('an end of the child itself that leaves grandchildren behind', async () => {
    const child = shell('sleep 1000 & sleep 1001 & exit 0');
    await child.done;
    expect(groupLives(pidOf(child))).toBe(false);
  });

  it('a cancel before the start: nothing is started', async () => {
    const child = shell('sleep 1000', { signal: AbortSignal.abort() });
    expect((await failure(child)).end).toEqual({ kind: 'cancelled' });
    expect(child.pid).toBeNull();
  });

  it('the parent, even when that is killed with SIGKILL', async () => {
    const parent = spawn(process.execPath, [
      '--import', import.meta.resolve('tsx'), fileURLToPath(new URL('../testing/children/parentOfTree.ts', import.meta.url)),
    ], { stdio: ['ignore', 'pipe', 'inherit'] });
    const group = await new Promise<number>((resolve) => parent.stdout.once('data', (data) => resolve(Number(data))));
    expect(group).toBeGreaterThan(1);
    await until(() => (measureGroup(group)?.members ?? 3) >= 3);
    parent.kill('SIGKILL');
    await until(() => !groupLives(group));
  });
});

describe.skipIf(process.platform !== 'linux')('a meter of a group', () => {
  it('measures resident memory in the pages of the kernel', () => {
    const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1]) * 1_024;
    const group = Number(readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[2]);
    // Other members of this group only increase the sum.
    expect(measureGroup(group)?.residentBytes).toBeGreaterThan(resident / 2);
  });

  it('finds members that came after it began, and forgets those that ended', async () => {
    const child = shell('read line; sleep 100 & read line; kill $!; wait; read line', { stdin: 'pipe' });
    const measure = createGroupMeter(child.pid as number);
    // The shell and its guard, which starts a moment later.
    const before = 2;
    await until(() => measure()?.members === before);
    child.stdin?.write('one more\n');
    await until(() => measure()?.members === before + 1);
    child.stdin?.write('one less\n');
    await until(() => measure()?.members === before);
    child.stdin?.end();
    await child.done.catch(() => {});
    expect(measure()?.members).toBe(0);
  });
});
