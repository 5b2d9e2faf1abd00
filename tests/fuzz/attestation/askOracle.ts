import { QuoteVerifier } from '@phala/dcap-qvl';
import { derContentOf } from './derContentOf.ts';
import type { BuiltWorld } from '@vouch/verifier/attestation/testPki/testWorld';

/** What another implementation says of the same bytes. */
export type OracleAnswer = { accepted: true; status: string } | { accepted: false; why: string };

/** The collateral in the oracle's form. */
export type OracleCollateral = Parameters<QuoteVerifier['verify']>[1];

export function oracleCollateral(built: BuiltWorld): OracleCollateral {
  const text = (name: string): string => built.files.find((file) => file.name === name)?.bytes.toString() ?? '';
  const bytes = (name: string): Buffer => derContentOf(built.files.find((file) => file.name === name)?.bytes ?? Buffer.alloc(0));
  const signed = (name: string): { body: string; signature: string } => {
    const [, body = '', signature = ''] = /^\{"\w+":(.*),"signature":"([0-9a-f]*)"\}$/s.exec(text(name)) ?? [];
    return { body, signature };
  };
  const [tcbInfo, qeIdentity, chain] = [signed('tcbInfo.json'), signed('qeIdentity.json'), decodeURIComponent(text('tcbInfoIssuerChain.txt'))];
  return {
    pck_crl_issuer_chain: text('pckCrlIssuerChain.pem'), root_ca_crl: bytes('rootCrl.der').toString('hex'), pck_crl: bytes('pckCrl.pem').toString('hex'),
    tcb_info_issuer_chain: chain, tcb_info: tcbInfo.body, tcb_info_signature: tcbInfo.signature,
    qe_identity_issuer_chain: chain, qe_identity: qeIdentity.body, qe_identity_signature: qeIdentity.signature,
  };
}

export function askOracle(built: BuiltWorld): OracleAnswer {
  try {
    const report = QuoteVerifier.newWithRootCa(built.certificates.root).verify(built.quote, oracleCollateral(built), built.date.getTime() / 1_000);
    return { accepted: true, status: report.status };
  } catch (error) {
    return { accepted: false, why: error instanceof Error ? error.message : String(error) };
  }
}
