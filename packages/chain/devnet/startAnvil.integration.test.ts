import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe, expect, it } from 'vitest';
import { getBalance, getBlock, getChainId } from '../rpc/chainReads.ts';
import { AnvilStateFault, startAnvil } from './startAnvil.ts';
import { startTestChain } from '../testing/testChain.ts';

describe('a chain of a test', () => {
  it('mines a block with each transaction, when asked, and later by its clock', async () => {
    const chain = await startTestChain();
    try {
      expect(await getChainId(chain.rpc)).toBe(31_337n);
      const before = await getBlock(chain.rpc, 'latest');
      await chain.mine(3);
      await chain.increaseTime(3_600);
      const after = await getBlock(chain.rpc, 'latest');
      expect(after!.number - before!.number).toBe(4);
      expect(after!.timestamp - before!.timestamp).toBeGreaterThanOrEqual(3_600);
      expect(await getBalance(chain.rpc, chain.operators[4]!.address)).toBe(10n ** 21n);
    } finally {
      await chain.stop();
    }
  });

  it('tells a state that cannot be loaded from every other fault', async () => {
    const file = fileURLToPath(new URL('./startAnvil.ts', import.meta.url));
    await expect(startAnvil({ loadState: file }, systemInterfaces.timers)).rejects.toBeInstanceOf(AnvilStateFault);
  });

  it('leaves no process behind', async () => {
    const chain = await startTestChain();
    expect(livesStill(chain.pid!)).toBe(true);
    await chain.stop();
    expect(livesStill(chain.pid!)).toBe(false);
  });

  it('says what is wrong where the port is taken', async () => {
    const first = await startAnvil({}, systemInterfaces.timers);
    try {
      const taken = startAnvil({ port: first.port }, systemInterfaces.timers);
      await expect(taken).rejects.toThrow(/^The local chain did not start: .*in use/i);
      await expect(taken).rejects.not.toBeInstanceOf(AnvilStateFault);
    } finally {
      await first.stop();
    }
  });
});

function livesStill(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
