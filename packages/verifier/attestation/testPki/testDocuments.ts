/** TCB info and QE identity in the format of Intel's service, without signatures. */
export interface TestTcbInfo {
  id: string;
  version: number;
  issueDate: string;
  nextUpdate: string;
  fmspc: string;
  pceId: string;
  tcbType: number;
  tcbEvaluationDataNumber: number;
  tcbLevels: { tcb: { sgxtcbcomponents: { svn: number }[]; pcesvn: number }; tcbDate: string; tcbStatus: string; advisoryIDs?: string[] }[];
}

export interface TestQeIdentity {
  id: string;
  version: number;
  issueDate: string;
  nextUpdate: string;
  tcbEvaluationDataNumber: number;
  miscselect: string;
  miscselectMask: string;
  attributes: string;
  attributesMask: string;
  mrsigner: string;
  isvprodid: number;
  tcbLevels: { tcb: { isvsvn: number }; tcbDate: string; tcbStatus: string; advisoryIDs?: string[] }[];
}

const isoOf = (date: Date): string => date.toISOString().replace(/\.\d{3}Z$/, 'Z');

/** Creates TCB info with three levels: the platform's level (UpToDate), one lower (OutOfDate) and two lower (Revoked). */
export function testTcbInfo(from: Date, to: Date, components: readonly number[], pceSvn: number, fmspc: string, pceId: string): TestTcbInfo {
  const level = (less: number, tcbStatus: string, advisoryIDs?: string[]): TestTcbInfo['tcbLevels'][number] => ({
    tcb: { sgxtcbcomponents: components.map((svn) => ({ svn: Math.max(0, svn - less) })), pcesvn: Math.max(0, pceSvn - less) },
    tcbDate: '2025-01-01T00:00:00Z', tcbStatus, ...(advisoryIDs && { advisoryIDs }),
  });
  return {
    id: 'SGX', version: 3, issueDate: isoOf(from), nextUpdate: isoOf(to), fmspc: fmspc.toUpperCase(), pceId: pceId.toUpperCase(), tcbType: 0, tcbEvaluationDataNumber: 17,
    tcbLevels: [level(0, 'UpToDate'), level(1, 'OutOfDate', ['INTEL-SA-00001']), level(2, 'Revoked', ['INTEL-SA-00002'])],
  };
}

export function testQeIdentity(from: Date, to: Date, mrSigner: string, productId: number, securityVersion: number): TestQeIdentity {
  return {
    id: 'QE', version: 2, issueDate: isoOf(from), nextUpdate: isoOf(to), tcbEvaluationDataNumber: 17, miscselect: '00000000', miscselectMask: 'FFFFFFFF',
    attributes: '11000000000000000000000000000000', attributesMask: 'FBFFFFFFFFFFFFFF0000000000000000', mrsigner: mrSigner.toUpperCase(), isvprodid: productId,
    tcbLevels: [
      { tcb: { isvsvn: securityVersion }, tcbDate: '2025-01-01T00:00:00Z', tcbStatus: 'UpToDate' },
      { tcb: { isvsvn: securityVersion - 2 }, tcbDate: '2023-01-01T00:00:00Z', tcbStatus: 'OutOfDate', advisoryIDs: ['INTEL-SA-00003'] },
    ],
  };
}
