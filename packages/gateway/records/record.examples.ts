const signer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const hash = `0x${'5d'.repeat(32)}`;

/** A confirmed message, for the API description. */
export const messageExample = {
  request_id: 'gr_9c0f5e2d3f6a1c7b',
  status: 'confirmed',
  kind: 'commission',
  operation: { commissionRate: '500', expiredAt: '1772443800' },
  signer,
  digest: `0x${'a7'.repeat(32)}`,
  deployment: '31337:0x5FbDB2315678afecb367f032d93F642f64180aa3:0a1b2c3d4e5f6071',
  deadline: '2026-03-02T09:30:00.000Z',
  reason: null,
  waits_for: null,
  times: {
    received: '2026-03-02T09:20:00.010Z', verified: '2026-03-02T09:20:00.030Z', simulated: '2026-03-02T09:20:01.050Z', batched: '2026-03-02T09:20:01.050Z',
    sent: '2026-03-02T09:20:01.120Z', mined: '2026-03-02T09:20:03.000Z', ended: '2026-03-02T09:20:39.000Z',
  },
  as_of: null,
  batch_id: 'gb_2f0e8a524f3c9d0e',
  transactions: [{
    transaction_hash: hash, batch_id: 'gb_2f0e8a524f3c9d0e', nonce: 12, max_fee_gwei: '3.1', created_at: '2026-03-02T09:20:01.060Z',
    sent_at: '2026-03-02T09:20:01.120Z', mined: true, cancels: false,
  }],
  gas: { used: 12_118, alone: 64_896, saved: 52_778, formula: 'receipt gas × weight of the operation / weights of the batch', cost_wei: '37565800000000' },
};

/** A confirmed transaction of the gateway, for the API description. */
export const gatewayBatchExample = {
  batch_id: 'gb_2f0e8a524f3c9d0e', status: 'confirmed', purpose: 'operations', relayer: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', nonce: 12, operations: 1,
  transaction_hash: hash, block_number: 88, gas_used: 61_204, gas_alone: 64_896, gas_saved: 3_692, gas_price_wei: '3100000000', reason: null,
  created_at: '2026-03-02T09:20:01.060Z', sent_at: '2026-03-02T09:20:01.120Z', mined_at: '2026-03-02T09:20:03.000Z', ended_at: '2026-03-02T09:20:39.000Z',
};

/** A bill, for the API description. */
export const billExample = {
  from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', by_day_before: null, gas: 61_204, wei: '189732400000000',
  rows: [{ deployment: '31337:0x5FbDB2315678afecb367f032d93F642f64180aa3:0a1b2c3d4e5f6071', signer, kind: 'commission', messages: 1, gas: 61_204, wei: '189732400000000' }],
};
