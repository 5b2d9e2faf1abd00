import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { checkQueue } from '../doctor/queueCheck.ts';
import { leaseName, listKeyLeases, listLanes } from '../lanes/laneStore.ts';
import { openTestGateway, type TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let gateway: TestGateway;
let other: string;
beforeAll(async () => {
  gateway = await openTestGateway({ operators: 1 });
  const [chainId, , genesis] = gateway.deployment.split(':');
  other = `${chainId}:0x${'0c'.repeat(20)}:${genesis}`;
});
afterAll(() => gateway.close());

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await systemInterfaces.timers.sleep(50);
}

const isHeld = async (deployment: string): Promise<boolean> => (await listKeyLeases(gateway.database, deployment))[0]?.held === true;
const pauseAt = async (deployment: string): Promise<string | null> => (await listLanes(gateway.database, deployment))[0]?.pauseCode ?? null;

it('a key that two deployments on a chain name by different references has one writer; the other says why it waits, and takes over when the first stops', async () => {
  const { relayer, operators } = gateway.chain;
  const settings = { batch_window_ms: 0 };
  const first = gateway.start({ settings, signers: [createLocalSigner(relayer.privateKey, 'the keystore relayer.json')] });
  await until(() => isHeld(gateway.deployment));
  gateway.start({ settings, signers: [createLocalSigner(relayer.privateKey, 'awskms:alias/relayer')], served: () => other });
  await until(async () => (await pauseAt(other)) !== null || isHeld(other));
  expect([await isHeld(gateway.deployment), await isHeld(other), await pauseAt(other)]).toEqual([true, false, 'key-in-use']);
  const findings = await checkQueue({ database: gateway.database, clock: systemInterfaces.clock }, { deployment: other, tellsLeftBehind: false }, [relayer.address]);
  expect(findings).toContainEqual(expect.objectContaining({ status: 'warning', detail: expect.stringContaining(`sends the transactions of ${gateway.deployment}`) as string }));
  const id = await gateway.submit(operators[0]!, { kind: 'claimer', claimer: `0x${'42'.repeat(20)}`, expiredAt: await gateway.expiry() });
  expect(await gateway.ended([id])).toMatchObject([{ state: 'confirmed' }]);
  expect(await isHeld(other)).toBe(false);
  await first.close();
  await until(() => isHeld(other));
  await until(async () => (await pauseAt(other)) === null);
});

exhaustiveTest('a deployment takes the key of a writer that hangs only after the lease of that writer is over, and the writer can then neither write nor renew', async () => {
  const { relayer } = gateway.chain;
  const hung = leaseName({ deployment: gateway.deployment, relayer: relayer.address });
  await until(() => isHeld(other));
  // The lease of the first deployment again, as a hung process leaves it.
  await gateway.database.query(`update leases set fence = null, lease_until = now() where name = $1`, [leaseName({ deployment: other, relayer: relayer.address })]);
  await gateway.database.query(`update leases set fence = gen_random_uuid(), lease_until = now() + interval '2 seconds' where name = $1`, [hung]);
  await until(async () => !(await isHeld(gateway.deployment)));
  await until(() => isHeld(other));
  const { rows } = await gateway.database.query<{ fence: string | null }>('select fence from leases where name = $1', [hung]);
  expect(rows).toEqual([{ fence: null }]);
});
