import { makeTransitKey, startVault, vaultProgram } from '@vouch/chain/testing/signers/startVault';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, expect, it } from 'vitest';
import { listRelayerKeys } from './relayerKeys.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: TestGateway | undefined;
afterEach(() => gateway?.close());

if (vaultProgram === null) {
  it.skip('Vault: VOUCH_TEST_VAULT names no program of the server; npm run test:signers builds it', () => {});
} else {
  const program = vaultProgram;

  it('a relayer key in a real Vault: messages confirm, wait while Vault hangs, and confirm when it goes on', async () => {
    const vault = await startVault(program);
    try {
      const made = await makeTransitKey(vault, 'relayer');
      gateway = await openTestGateway({ operators: 2 });
      const { chain, database } = gateway;
      const [key] = listRelayerKeys({ name: 'default', settings: { relayer_keys: [`vault:transit/keys/relayer?file=${made.file}`] } }, {
        system: systemInterfaces, environment: { VAULT_ADDR: vault.url, VAULT_TOKEN: made.token }, timeoutMs: 2_000,
      });
      const signer = await key!.open();
      await chain.setBalance(signer.address, 10n ** 20n);
      gateway.start({ settings: { batch_window_ms: 0 }, signers: [signer] });
      const expiredAt = await gateway.expiry();
      const enter = (place: number): Promise<string> =>
        gateway!.submit(chain.operators[place]!, { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt });
      expect((await gateway.ended([await enter(0)]))[0]!.state).toBe('confirmed');
      process.kill(vault.pid, 'SIGSTOP');
      const waiting = await enter(1);
      while ((await database.query(`select 1 from gateway_lines where pause_code = 'signer-unavailable'`)).rowCount === 0) await systemInterfaces.timers.sleep(50);
      expect((await gateway.row(waiting)).state).toMatch(/^(?:verified|batched)$/);
      process.kill(vault.pid, 'SIGCONT');
      expect((await gateway.ended([waiting]))[0]!.state).toBe('confirmed');
    } finally {
      await vault.stop();
    }
  });
}
