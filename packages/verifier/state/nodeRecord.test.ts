import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attestationIdOf } from '../attestation/decodeInfo.ts';
import { describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { testFolder } from '../testing/runVerifier.ts';
import { NodeRecord } from './nodeRecord.ts';
import { maxEnded, type KeptAttestation, type NodeState } from './nodeState.ts';
import { parseNodeState, StateFault } from './parseNodeState.ts';
import { readNodeState } from './readNodeState.ts';

const hash = (byte: string): `0x${string}` => `0x${byte.repeat(32)}`;
const fresh: NodeState = {
  version: 1, chainId: 1, chainName: 'test', service: `0x${'aa'.repeat(20)}`, node: `0x${'bb'.repeat(20)}`, genesis: hash('01'), checkpoints: [{ block: 9, hash: hash('02') }],
  startedAt: 1, savedAt: 1, chainSeenAt: null, attestations: [], membership: { id: 3, active: true, readAt: 5, activeSince: 4, weight: 1, claimer: `0x${'00'.repeat(20)}`, commissionRate: 0, missed: 0 },
  day: null, countedDay: null, online: [], lastChosenAt: null, lastReportedAt: null, counts: { announced: 0, chosen: 0, reported: 0, missed: 0, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
};
const attestation = (attestationId: `0x${string}`, state: KeptAttestation['state']): KeptAttestation => ({
  attestationId, requestId: '7', block: 1, transactionHash: hash('03'), chosenIndex: 0, chosenBlock: 2, chosenAt: 3, deadline: 4, halfTime: 3, verdict: 0, reason: 'verified', sentence: 'Good. ✓', judgedAt: 5,
  basis: null, state, attempts: 1, sentAt: 6, reportedAt: 7, sentHash: null, lastError: null,
});
const record = (folder: string): NodeRecord => new NodeRecord(folder, fresh, { clock: { now: () => 1_000_000 }, elapsedMs: () => 0 });

describe('what a node keeps', () => {
  it('is read back as it was written', async () => {
    const folder = testFolder();
    const kept = record(folder);
    kept.add(attestation(hash('10'), 'sent'));
    kept.advance({ block: 12, hash: hash('04') });
    kept.addOnline(12.7);
    await kept.save();
    const state = await readNodeState(folder);
    expect(state).toEqual(kept.snapshot());
    expect(state!.attestations[0]!.sentence).toBe('Good. ✓');
    expect(await readNodeState(testFolder())).toBe(null);
  });

  it('has a bound: the oldest of those that ended go, and their infos with them; open ones stay', async () => {
    const folder = testFolder();
    const kept = record(folder);
    await kept.infos.open();
    const ids = Array.from({ length: maxEnded + 20 }, (_, at) => attestationIdOf(`info ${at}`));
    for (const [at, id] of ids.entries()) {
      if (at % 100 === 0) await kept.infos.write(id, `info ${at}`);
      kept.add(attestation(id, at === 1 ? 'chosen' : 'reported'));
    }
    for (let block = 10; block < 400; block += 1) kept.advance({ block, hash: hash('05') });
    for (let day = 0; day < 30; day += 1) new NodeRecord(folder, fresh, { clock: { now: () => day * 86_400_000 }, elapsedMs: () => 0 }).addOnline(1);
    await kept.save();
    const { attestations, checkpoints } = (await readNodeState(folder))!;
    expect([attestations.length, attestations[0]!.attestationId, attestations[1]!.attestationId, checkpoints.length]).toEqual([maxEnded + 1, ids[1], ids[20], 64]);
    expect(readdirSync(join(folder, 'infos')).length).toBe(5);
    expect(await kept.infos.read(ids[100]!)).toBe('info 100');
    expect(await kept.infos.read(ids[0]!)).toBe(null);
  });

  it('has those beyond the bound whose blocks are scanned again, so that none counts as new', async () => {
    const kept = record(testFolder());
    for (let at = 0; at < maxEnded + 20; at += 1) kept.add({ ...attestation(attestationIdOf(`info ${at}`), 'reported'), ...(at < 10 ? { block: 300, chosenBlock: 301 } : at < 15 ? { chosenBlock: 301 } : {}) });
    for (let block = 10; block <= 350; block += 1) kept.advance({ block, hash: hash('05') });
    await kept.save();
    expect(kept.snapshot().attestations.length).toBe(maxEnded + 15);
    for (let block = 351; block < 400; block += 1) kept.advance({ block, hash: hash('05') });
    await kept.save(true);
    expect(kept.snapshot().attestations.length).toBe(maxEnded);
  });

  it('is not written while nothing but the place on the chain moves, except once a minute', async () => {
    const folder = testFolder();
    let [now, elapsed] = [1_000_000, 0];
    const kept = new NodeRecord(folder, fresh, { clock: { now: () => now }, elapsedMs: () => elapsed });
    await kept.save();
    kept.advance({ block: 50, hash: hash('04') });
    await kept.save();
    expect((await readNodeState(folder))!.checkpoints.at(-1)!.block).toBe(9);
    // The minute passes, although the clock is set back.
    now -= 900_000;
    elapsed += 60_000;
    await kept.save();
    expect((await readNodeState(folder))!.checkpoints.at(-1)!.block).toBe(50);
  });

  exhaustiveTest('has a bound for the texts too, however long they are, and keeps those that are still to be judged', async () => {
    const folder = testFolder();
    const kept = record(folder);
    await kept.infos.open();
    const ids: `0x${string}`[] = [];
    for (let at = 0; at < 220; at += 1) {
      const info = `${at} ${'x'.repeat(120_000)}`;
      const id = attestationIdOf(info);
      ids.push(id);
      await kept.infos.write(id, info);
      kept.add({ ...attestation(id, 'reported'), ...(at === 0 ? { judgedAt: null } : {}) });
      if (at % 25 === 24) await kept.save();
    }
    const names = readdirSync(join(folder, 'infos'));
    expect(names.length).toBeLessThan(200);
    expect(names).toContain(`${ids[0]}.txt`);
    expect(names).toContain(`${ids.at(-1)}.txt`);
    await kept.infos.write(ids[0]!, 'x'.repeat(200_000));
    expect(await kept.infos.read(ids[0]!)).toMatch(/^0 x/);
  });

  it('does not take another text for an info than the one that its id is the hash of', async () => {
    const folder = testFolder();
    const kept = record(folder);
    await kept.infos.open();
    const id = attestationIdOf('right');
    writeFileSync(join(folder, 'infos', `${id}.txt`), 'wrong');
    expect(await kept.infos.read(id)).toBe(null);
  });

  it('is refused with a sentence where a field is wrong, whichever it is', () => {
    const transaction = { nonce: 4, data: '0x1234' as const, gas: '90000', maxFee: '20', tip: '1', legacy: true as const, hashes: [hash('11')], sentAt: 6 };
    const whole = { ...fresh, countedDay: 5, attestations: [attestation(hash('10'), 'sent')], transactions: [transaction], day: { index: 7, begin: 1, end: 9, creditedWeight: 0, neededSeconds: 3, readAt: 2 }, online: [{ day: '2026-01-01', seconds: 3 }], standby: { since: 1, because: 'x' }, alarms: [{ code: 'a', subject: '', sentence: 's', since: 1 }] };
    expect(parseNodeState(JSON.stringify(whole))).toEqual(whole);
    const paths = (value: unknown, before: (string | number)[] = []): (string | number)[][] => (typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => [[...before, name], ...paths(each, [...before, name])]) : []);
    let refused = 0;
    for (const path of paths(whole)) {
      for (const wrong of [undefined, -1, 1.5, {}, ['x'], 'x'.repeat(5_000), true, 2 ** 60]) {
        const copy = structuredClone(whole) as unknown;
        const parent = path.slice(0, -1).reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, copy as Record<string, unknown>);
        // Only transactions of chains without a base fee have the field.
        if (path.at(-1) === 'legacy' && (wrong === undefined || wrong === true)) continue;
        // State files of older releases contain neither transactions nor days.
        if (wrong === undefined && ['transactions', 'day', 'countedDay', 'counts.daysCredited', 'counts.daysLost'].includes(path.join('.'))) continue;
        if (wrong === true && typeof parent[String(path.at(-1))] === 'boolean') continue;
        parent[String(path.at(-1))] = wrong;
        const text = JSON.stringify(copy);
        expect(() => parseNodeState(text), `${path.join('.')} ${JSON.stringify(wrong)}`).toThrow(StateFault);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(400);
    const { transactions: _transactions, day: _day, counts: { daysCredited: _credited, daysLost: _lost, ...counts }, ...before } = fresh;
    expect(parseNodeState(JSON.stringify({ ...before, counts }))).toEqual(fresh);
    for (const text of ['', 'null', '[]', '{}', '{"version":2}', '\u0000', '{"version":1']) expect(() => parseNodeState(text)).toThrow(StateFault);
  });
});
