import type { IncomingHttpHeaders } from 'node:http';
import { digestOf } from '@vouch/chain/messages/digest';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import type { Database } from '@vouch/platform/database/database';
import { Problem } from '@vouch/platform/errors/problem';
import type { Clock, Random } from '@vouch/platform/process/systemInterfaces';
import { findNewestFinal } from '../batching/claimStore.ts';
import { utcDay } from '../budgets/budget.ts';
import type { BudgetPolicies } from '../budgets/budgetPolicy.ts';
import { rankLicenses } from '../budgets/spendingStore.ts';
import type { ClientFacts } from '../requests/gatewayRequest.ts';
import type { RecordMemory } from '../records/recordMemory.ts';
import { describeAccepted } from '../records/requestRecord.ts';
import { listOpenRequests, type NewRequest, type StoredRequest } from '../requests/requestStore.ts';
import { fromHex, decodeOperation, toHex } from '../requests/storedOperation.ts';
import type { GatewayChain } from './chainState/gatewayChain.ts';
import type { LicenseIndex } from './chainState/licenseIndex.ts';
import { judgeExpiry, judgeMessage, type Judgement } from './policy/judgeMessage.ts';
import { SignerTurns } from './policy/signerTurns.ts';
import type { SignatureChecker } from './signatures/signatureChecker.ts';
import type { RequestFinder } from './storing/requestFinder.ts';
import type { RequestWriter } from './storing/requestWriter.ts';
import type { SignerQuotas } from './storing/signerQuotas.ts';
import type { SpendingLedger } from './storing/spendingLedger.ts';
import { parseHeaders, type HeaderRules } from './wire/parseHeaders.ts';
import { dialectOf, parseMessage, type SignedMessage } from './wire/parseMessage.ts';

/** Dependencies of the intake. */
export interface IntakeParts {
  database: Database;
  clock: Clock;
  random: Random;
  chain: GatewayChain;
  licenses: LicenseIndex;
  /** Hash of the EIP-712 domain that operators sign for. */
  domain: Uint8Array;
  signatures(): Promise<SignatureChecker>;
  quotas: SignerQuotas;
  policies: BudgetPolicies;
  ledger: SpendingLedger;
  writer: RequestWriter;
  finder: RequestFinder;
  headers: HeaderRules;
  /** Recently accepted messages, which answer lookups while the database is unavailable. */
  records: RecordMemory;
}

/** An accepted message. */
export interface Accepted {
  message: SignedMessage;
  stored: StoredRequest;
}

/** A message whose signature was verified. */
interface CheckedMessage {
  message: SignedMessage;
  digest: Buffer;
  signer: Buffer;
  client: ClientFacts;
  receivedAt: Date;
  traceparent: string | null;
}

/** How many of a signer's licenses are checked; the first one that still counts for the signer is used. */
const licensesTried = 20;

/** Random bytes in a request id; anyone who knows the id can read the record, so the id must be unguessable. */
const idBytes = 16;

/**
 * Accepts signed messages: parses the body, computes the digest, recovers and compares the signer, checks the rules, stores the
 * message.
 * `accept` resolves when the row is durable. Messages that the contract would revert are not stored, as far as the chain state
 * shows.
 */
export class GatewayIntake {
  readonly #parts: IntakeParts;
  readonly #turns = new SignerTurns();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Reads the licenses ahead, several thousand contract reads that the first message would otherwise wait for. Never rejects. */
  async prepare(): Promise<void> {
    await this.#parts.licenses.prepare();
  }

  /**
   * Accepts one message.
   * @param body parsed JSON body
   * @param traceparent trace that the message continues; null for none
   * @returns the message with its new row, or with its earlier row if the message is a repeat
   * @throws Problem of the gateway's catalogue or `database-unavailable`
   */
  async accept(kind: Operation['kind'], body: unknown, headers: IncomingHttpHeaders, traceparent: string | null = null): Promise<Accepted> {
    const receivedAt = new Date(this.#parts.clock.now());
    const client = parseHeaders(headers, this.#parts.headers, dialectOf(body));
    const message = parseMessage(kind, body);
    const digest = Buffer.from(digestOf(message.operation, this.#parts.domain));
    const signer = fromHex(message.signer);
    await (await this.#parts.signatures()).check(digest, message);
    try {
      (await this.#parts.policies.current()).checkListed(message.signer);
      // A message that can never be accepted says so, and not that it can be accepted later.
      await judgeExpiry(this.#parts.chain, message.operation);
      this.#parts.quotas.check(signer);
      this.#parts.ledger.check(message.signer, kind);
      const store = (): Promise<StoredRequest> => this.#judgeAndStore({ message, digest, signer, client, receivedAt, traceparent });
      // A signer's earlier messages decide whether its next change is allowed, so messages of one signer run in sequence.
      return { message, stored: kind === 'report' ? await store() : await this.#turns.take(message.signer, store) };
    } catch (error) {
      const before = await this.#findBefore(error, { digest, signer });
      if (before === null) throw error;
      return { message, stored: before };
    }
  }

  async #judgeAndStore({ message, digest, signer, client, receivedAt, traceparent }: CheckedMessage): Promise<StoredRequest> {
    const { chain, clock, random, writer, records } = this.#parts;
    const { deadline, unchanged, mayBeUnchanged } = await this.#judge(message, toHex(digest));
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
      mayBeUnchanged,
      license,
      traceparent,
    };
    const stored = await writer.write(name, request);
    if (!stored.repeated) records.remember(describeAccepted(name, request, stored), clock.now());
    return stored;
  }

  /**
   * Returns the least used license of today among the licenses that back the signer; null if the contract does not map
   * licenses to nodes.
   */
  async #findLicense(deployment: string, { operation, signer }: SignedMessage): Promise<string | null> {
    const { licenses, database, clock } = this.#parts;
    const day = utcDay(clock.now());
    return licenses.find(signer, async (known) => (known.length === 1 ? known : rankLicenses(database, deployment, day, operation.kind, known, licensesTried)));
  }

  async #judge({ operation, signer }: SignedMessage, digest: Hex): Promise<Judgement> {
    const { chain, database } = this.#parts;
    const pending = async (): Promise<Operation[]> => {
      const { name } = await chain.deployment();
      return (await listOpenRequests(database, name, signer)).map(decodeOperation);
    };
    const newestFinal = async (): Promise<number> => findNewestFinal(database, (await chain.deployment()).name);
    return judgeMessage(chain, operation, signer, digest, pending, newestFinal);
  }

  /**
   * Finds the earlier row of a refused message, so that a repeat gets its first answer; null for a new message, or for one
   * that failed or expired.
   */
  async #findBefore(refusal: unknown, message: { digest: Buffer; signer: Buffer }): Promise<StoredRequest | null> {
    const { chain, finder } = this.#parts;
    if (!(refusal instanceof Problem) || refusal.code === 'database-unavailable' || chain.knownName === null) return null;
    const before = await finder.find(chain.knownName, message);
    return before === null || before.state === 'failed' || before.state === 'expired' ? null : before;
  }
}
