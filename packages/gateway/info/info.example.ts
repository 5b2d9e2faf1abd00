const gas = { enter: 600_000, exit: 300_000, commission: 240_000, claimer: 240_000, report: 4_000_000 };

/** Description of a gateway on a development chain, for the API description. */
export const infoExample = {
  configured: true,
  missing: [],
  chain: {
    chain_id: 31_337, local: true, contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3', reachable: true, block: 88, time: 1_772_443_800, isolates: true,
  },
  domain: { name: 'VerifierService', version: '1', chain_id: 31_337, hash: `0x${'b3'.repeat(32)}` },
  paths: ['/explorer_alphanet/send_tx_node_enter', '/explorer/send_tx_node_enter'],
  headers: 'lenient',
  limits: { expires_seconds_least: 60, expires_seconds_most: 21_600, messages_per_signer_and_hour: 120 },
  budgets: { ends_at: '2026-03-03T00:00:00.000Z', signer: gas, license: gas, total: gas, left: gas },
  batching: { window_ms: 1_000, operations_most: 200, gas_most: 12_000_000, confirmations: 12 },
  relayers: [{ address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', status: 'running', pause_code: null }],
};
