import type { IncomingHttpHeaders } from 'node:http';
import { digestOf } from '@vouch/chain/messages/digest';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import type { Database } from '@vouch/platform/database/database';
import { Problem } from '@vouch/platform/errors/problem';
import type { Clock, Random } from '@vouch/platform/process/doors';
import type { ClientFacts } from '../requests/gatewayRequest.ts';
import { listOpenRequests, type StoredRequest } from '../requests/requestStore.ts';
import { fromHex, readOperation, toHex } from '../requests/storedOperation.ts';
import type { GatewayChain } from './chainState/gatewayChain.ts';
import { judgeMessage, type Judgement } from './policy/judgeMessage.ts';
import { SignerTurns } from './policy/signerTurns.ts';
import type { SignatureChecker } from './signatures/signatureChecker.ts';
import type { RequestFinder } from './storing/requestFinder.ts';
import type { RequestWriter } from './storing/requestWriter.ts';
import type { SignerQuotas } from './storing/signerQuotas.ts';
import { readHeaders, type HeaderRules } from './wire/readHeaders.ts';
import { dialectOf, readMessage, type SignedMessage } from './wire/readMessage.ts';

/** What the road of a message needs. */
export interface IntakeParts {
  database: Database;
  clock: Clock;
  random: Random;
  chain: GatewayChain;
  /** Hash of the domain that operators sign for. */
  domain: Uint8Array;
  signatures(): Promise<SignatureChecker>;
  quotas: SignerQuotas;
  writer: RequestWriter;
  finder: RequestFinder;
  headers: HeaderRules;
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
      this.#parts.quotas.check(signer);
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
    const { chain, clock, random, writer } = this.#parts;
    const { deadline, unchanged } = await this.#judge(message, toHex(digest));
    const { name } = await chain.deployment();
    return writer.write(name, {
      requestId: `gw_${random.bytes(idBytes).toString('base64url')}`,
      operation: message.operation,
      digest,
      signer,
      signature: message.signature,
      client,
      deadline: new Date(deadline * 1000),
      receivedAt,
      verifiedAt: new Date(clock.now()),
      unchanged,
    });
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
