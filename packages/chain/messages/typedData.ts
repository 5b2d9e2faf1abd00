import type { Domain, Operation, OperationKind } from './operation.ts';

interface Field {
  name: string;
  type: string;
}

/** Primary type and fields of each operation. Names and order of the fields affect the signed digest. */
const messageTypes = {
  enter: {
    primaryType: 'NodeEnterData',
    fields: [{ name: 'replacedNode', type: 'address' }, { name: 'expiredAt', type: 'uint256' }],
  },
  exit: {
    primaryType: 'NodeExitData',
    fields: [{ name: 'expiredAt', type: 'uint256' }],
  },
  commission: {
    primaryType: 'NodeModifyCommissionRateData',
    fields: [{ name: 'commissionRate', type: 'uint32' }, { name: 'expiredAt', type: 'uint256' }],
  },
  claimer: {
    primaryType: 'NodeSetRewardClaimerData',
    fields: [{ name: 'claimer', type: 'address' }, { name: 'expiredAt', type: 'uint256' }],
  },
  report: {
    primaryType: 'VerificationData',
    fields: [{ name: 'attestationID', type: 'bytes32' }, { name: 'result', type: 'uint8' }, { name: 'index', type: 'uint32' }],
  },
} as const satisfies Readonly<Record<OperationKind, { primaryType: string; fields: readonly Field[] }>>;

const domainFields: readonly Field[] = [
  { name: 'name', type: 'string' }, { name: 'version', type: 'string' }, { name: 'chainId', type: 'uint256' },
];
export const domainType = encodeFields('EIP712Domain', domainFields);

/** Returns the type string that EIP-712 hashes (`encodeType`), for example `NodeExitData(uint256 expiredAt)`. */
export function encodeType(kind: OperationKind): string {
  const { primaryType, fields } = messageTypes[kind];
  return encodeFields(primaryType, fields);
}

function encodeFields(name: string, fields: readonly Field[]): string {
  return `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
}

/** Typed data in the format of `eth_signTypedData_v4`. */
export interface TypedData {
  types: Record<string, Field[]>;
  primaryType: string;
  domain: { name: string; version: string; chainId: bigint };
  message: Record<string, string>;
}

/** Converts an operation to typed data. Numbers are decimal text, because all wallets read decimal text alike. */
export function typedDataOf(operation: Operation, { name, version, chainId }: Domain): TypedData {
  const { primaryType, fields } = messageTypes[operation.kind];
  return {
    // Includes EIP712Domain: without this type, some implementations omit an empty version from the domain.
    types: { EIP712Domain: [...domainFields], [primaryType]: [...fields] },
    primaryType,
    domain: { name, version, chainId },
    message: messageOf(operation),
  };
}

function messageOf(operation: Operation): Record<string, string> {
  switch (operation.kind) {
    case 'enter':
      return { replacedNode: operation.replacedNode, expiredAt: String(operation.expiredAt) };
    case 'exit':
      return { expiredAt: String(operation.expiredAt) };
    case 'commission':
      return { commissionRate: String(operation.commissionRate), expiredAt: String(operation.expiredAt) };
    case 'claimer':
      return { claimer: operation.claimer, expiredAt: String(operation.expiredAt) };
    case 'report':
      return { attestationID: operation.attestationId, result: String(operation.result), index: String(operation.index) };
  }
}
