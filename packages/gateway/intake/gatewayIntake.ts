import type { IncomingHttpHeaders } from 'node:http';
import { digestOf } from '@vouch/chain/messages/digest';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import type { Database } from '@vouch/platform/database/database';
import { Problem } from '@vouch/platform/errors/problem';
import type { Clock, Random } from '@vouch/platform/process/doors';
import { utcDay } from '../budgets/budget.ts';
import type { BudgetPolicies } from '../budgets/budgetPolicy.ts';
import { rankLicenses } from '../budgets/spendingStore.ts';
import type { ClientFacts } from '../requests/gatewayRequest.ts';
import type { RecordMemory } from '../records/recordMemory.ts';
import { describeAccepted } from '../records/requestRecord.ts';
import { listOpenRequests, type NewRequest, type StoredRequest } from '../requests/requestStore.ts';
import { fromHex, readOperation, toHex } from '../requests/storedOperation.ts';
import type { GatewayChain } from './chainState/gatewayChain.ts';
import type { LicenseIndex } from './chainState/licenseIndex.ts';
import { judgeMessage, type Judgement } from './policy/judgeMessage.ts';
import { SignerTurns } from './policy/signerTurns.ts';
import type { SignatureChecker } from './signatures/signatureChecker.ts';
import type { RequestFinder } from './storing/requestFinder.ts';
import type { RequestWriter } from './storing/requestWriter.ts';
import type { SignerQuotas } from './storing/signerQuotas.ts';
import type { SpendingLedger } from './storing/spendingLedger.ts';
import { readHeaders, type HeaderRules } from './wire/readHeaders.ts';
import { dialectOf, readMessage, type SignedMessage } from './wire/readMessage.ts';

/** What the road of a message needs. */
export interface IntakeParts {
  database: Database;
  clock: Clock;
  random: Random;
  chain: GatewayChain;
  licenses: LicenseIndex;
  /** Hash of the domain that operators sign for. */
  domain: Uint8Array;
  signatures(): Promise<SignatureChecker>;
  quotas: SignerQuotas;
  policies: BudgetPolicies;
  ledger: SpendingLedger;
  writer: RequestWriter;
  finder: RequestFinder;
  headers: HeaderRules;
  /** What was accepted, for lookups while the database does not answer. */
  records: RecordMemory;
}

/** An accepted message. */
export interface Accepted {
  message: SignedMessage;
  stored: StoredRequest;
}

/** A message whose signature is the signer's. */
interface CheckedMessage {
  message: SignedMessage;
  digest: Buffer;
  signer: Buffer;
  client: ClientFacts;
  receivedAt: Date;
}

/** Licenses of a signer of which one should still count for it. */
const licensesTried = 20;

/** Bytes of randomness of a request's id: whoever has the id may read the record. */
const idBytes = 16;

/**
 * The road of a message: parse, digest, recover, compare, judge, store. It answers when the row is durable, and stores nothing
 * that the chain would refuse as far as that can be known.
 */
export class GatewayIntake {
  readonly #parts: IntakeParts;
  readonly #turns = new SignerTurns();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** @throws Problem of the gateway's catalogue or `database-unavailable` */
  async accept(kind: Operation['kind'], body: unknown, headers: IncomingHttpHeaders): Promise<Accepted> {
    const receivedAt = new Date(this.#parts.clock.now());
    const client = readHeaders(headers, this.#parts.headers, dialectOf(body));
    const message = readMessage(kind, body);
    const digest = Buffer.from(digestOf(message.operation, this.#parts.domain));
    const signer = fromHex(message.signer);
    await (await this.#parts.signatures()).check(digest, message);
    try {
      (await this.#parts.policies.current()).checkListed(message.signer);
      this.#parts.quotas.check(signer);
      this.#parts.ledger.check(message.signer, kind);
      const store = (): Promise<StoredRequest> => this.#judgeAndStore({ message, digest, signer, client, receivedAt });
      // What a signer changes about itself is judged by what it sent before, so those messages go one after the other.
      return { message, stored: kind === 'report' ? await store() : await this.#turns.take(message.signer, store) };
    } catch (error) {
      const before = await this.#findBefore(error, { digest, signer });
      if (before === null) throw error;
      return { message, stored: before };
    }
  }

  async #judgeAndStore({ message, digest, signer, client, receivedAt }: CheckedMessage): Promise<StoredRequest> {
    const { chain, clock, random, writer, records } = this.#parts;
    const { deadline, unchanged } = await this.#judge(message, toHex(digest));
    const { name } = await chain.deployment();
    const license = message.operation.kind === 'report' || unchanged !== null ? null : await this.#findLicense(name, message);
    const request: NewRequest = {
      requestId: `gw_${random.bytes(idBytes).toString('base64url')}`,
      operation: message.operation,
      digest,
      signer,
      signature: message.signature,
      client,
      deadline: new Date(deadline * 1000),
      receivedAt,
      verifiedAt: new Date(clock.now()),
      verifiedBlock: chain.reader.newestBlock,
      unchanged,
      license,
    };
    const stored = await writer.write(name, request);
    if (!stored.repeated) records.remember(describeAccepted(name, request, stored), clock.now());
    return stored;
  }

  /** Of the licenses that back the signer, one of which the least is used today; null where the contract does not tell. */
  async #findLicense(deployment: string, { operation, signer }: SignedMessage): Promise<string | null> {
    const { licenses, database, clock } = this.#parts;
    const day = utcDay(clock.now());
    return licenses.find(signer, async (known) => (known.length === 1 ? known : rankLicenses(database, deployment, day, operation.kind, known, licensesTried)));
  }

  async #judge({ operation, signer }: SignedMessage, digest: Hex): Promise<Judgement> {
    const { chain, database } = this.#parts;
    const pending = async (): Promise<Operation[]> => {
      const { name } = await chain.deployment();
      return (await listOpenRequests(database, name, signer)).map(readOperation);
    };
    return judgeMessage(chain, operation, signer, digest, pending);
  }

  /** A message that was accepted before is answered as then, whatever stands against it by now; null for one that is new or ended badly. */
  async #findBefore(refusal: unknown, message: { digest: Buffer; signer: Buffer }): Promise<StoredRequest | null> {
    const { chain, finder } = this.#parts;
    if (!(refusal instanceof Problem) || refusal.code === 'database-unavailable' || chain.knownName === null) return null;
    const before = await finder.find(chain.knownName, message);
    return before === null || before.state === 'failed' || before.state === 'expired' ? null : before;
  }
}
