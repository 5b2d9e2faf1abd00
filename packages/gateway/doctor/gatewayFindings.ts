import { defineFindings } from '@vouch/platform/product/findings';

/** Findings about chains, relayer keys, queued messages and gas budgets. */
export const gatewayFindings = defineFindings({
  'chain-settings-missing': {
    status: 'fault', title: 'Settings of the chain are missing', cause: 'Some of the settings of a chain are set, but not all, so the gateway rejects every message.',
    remedy: 'Set the missing settings, or remove the other settings of the chain.',
  },
  'rpc-unavailable': {
    status: 'fault', title: 'No RPC endpoint answers', cause: 'None of the endpoints in `VOUCH_CHAIN_RPC_URL` answers. Messages wait. The other checks of the chain are skipped.',
    remedy: 'Check VOUCH_CHAIN_RPC_URL, and that the RPC endpoint runs and accepts requests from this machine. A local chain restarts by itself; if not, restart the program that runs the chain.',
  },
  'rpc-endpoint-unavailable': {
    status: 'warning', title: 'One of several RPC endpoints does not answer, or is behind', cause: 'Another endpoint answers, so the gateway works, but without this reserve. An endpoint whose newest block is more than a minute older than that of another is asked only after the others.',
    remedy: 'Check VOUCH_CHAIN_RPC_URL, and that the RPC endpoint runs, follows the chain and accepts requests from this machine.',
  },
  'chain-unreadable': {
    status: 'fault', title: 'The chain could not be read', cause: 'An endpoint answers, but not the request for the chain id, the contract, the newest block or a balance.',
    remedy: 'Check VOUCH_CHAIN_RPC_URL, and that the RPC endpoint runs and accepts requests from this machine.',
  },
  'chain-differs': {
    status: 'fault', title: 'The endpoint serves another chain', cause: '`VOUCH_CHAIN_ID` and the chain id of the endpoint differ.',
    remedy: 'Correct VOUCH_CHAIN_ID or VOUCH_CHAIN_RPC_URL; a signature is valid only on the chain that the signature names.',
  },
  'contract-missing': {
    status: 'fault', title: 'There is no contract', cause: 'The Ethereum address in `VOUCH_CONTRACT_ADDRESS` has no code on this chain.',
    remedy: 'Correct VOUCH_CONTRACT_ADDRESS, or deploy the contract to this chain.',
  },
  'multicall-missing': {
    status: 'fault', title: 'There is no Multicall3', cause: 'The contract does not isolate failing entries, and the Ethereum address in `VOUCH_MULTICALL_ADDRESS` has no code on this chain. The gateway rejects every message.',
    remedy: 'Set VOUCH_MULTICALL_ADDRESS to the address of Multicall3 on this chain, or deploy Multicall3.',
  },
  'domain-unknown': {
    status: 'warning', title: 'The signing domain is unknown', cause: 'The contract does not return its domain hash, so the gateway cannot compare the signing domain.',
    remedy: 'Check VOUCH_CONTRACT_ADDRESS, and that the contract has the configured signing domain.',
  },
  'domain-differs': {
    status: 'fault', title: 'The signing domain differs', cause: 'Contract and gateway compute different EIP-712 domain hashes, so the contract refuses every message.',
    remedy: 'Set VOUCH_DOMAIN_NAME and VOUCH_DOMAIN_VERSION to the values that the contract was deployed with.',
  },
  'block-time-differs': {
    status: 'warning', title: 'The newest block is more than a minute from the clock', cause: 'The clock of this machine is wrong, or the chain produces no blocks. Expiry times of messages are wrong by the same amount.',
    remedy: "Synchronize this machine's clock by NTP. If the chain produces no blocks, messages wait and may expire.",
  },
  'relayer-missing': {
    status: 'fault', title: 'No relayer key is configured', cause: 'Without a relayer key, the gateway can send no transaction.',
    remedy: 'Set VOUCH_RELAYER_KEYSTORES with VOUCH_RELAYER_PASSWORD_FILE, or VOUCH_RELAYER_KEYS.',
  },
  'relayer-unusable': {
    status: 'fault', title: 'A relayer key cannot sign', cause: 'The keystore or its password is wrong, or the signing service refuses or does not answer.',
    remedy: 'Fix the stated cause. Until then, messages wait or are sent with other keys. The guide "Relayer keys" has the steps for each service.',
  },
  'balance-low': {
    status: 'fault', title: 'A relayer key has too little ether', cause: 'The balance is below `VOUCH_MIN_BALANCE_ETH`, so the key sends no new transactions.',
    remedy: 'Send ether to the account of the key.',
  },
  'queue-not-checked': {
    status: 'warning', title: 'Queued messages were not checked', cause: 'The chain does not match the settings; other findings state why.',
    remedy: 'Fix the problems reported above, then run vouch doctor again.',
  },
  'messages-delayed': {
    status: 'warning', title: 'Messages wait for more than five minutes', cause: 'No gateway runs with the relayer key, its transactions are not mined, or its fees are too low.',
    remedy: "Start vouch serve with the relayer's key; GET /gateway/batches shows what the newest transactions wait for.",
  },
  'messages-left-behind': {
    status: 'warning', title: 'Messages of an earlier chain or contract are left', cause: 'Messages were accepted for a chain and contract that no gateway serves any more, so nobody sends or follows them.',
    remedy: 'Serve that chain and contract again until the messages have ended (VOUCH_CHAIN_RPC_URL, VOUCH_CHAIN_ID, VOUCH_CONTRACT_ADDRESS). If the chain was reset, the messages are lost, and their operators must sign again.',
  },
  'key-paused': {
    status: 'warning', title: 'A relayer key is paused', cause: 'A step of the key failed twice in a row. The message states the reason.',
    remedy: 'Fix the stated cause. Messages wait until then.',
  },
  'key-left-behind': {
    status: 'warning', title: 'Transactions of a removed key are pending', cause: 'A relayer key was removed from the settings before its transactions were final.',
    remedy: 'Add the key again and restart vouch serve. Remove the key once vouch doctor no longer reports this.',
  },
  'key-used-elsewhere': {
    status: 'warning', title: 'Another program uses a relayer key', cause: 'Within the last day, transactions that no gateway of this database sent took nonces of a relayer key. Messages were sent again, later and at the cost of more gas.',
    remedy: 'Look up the named transaction on the chain. Stop the other program, or give it its own key. If no program of yours sent the transaction, the key is stolen: replace the key and move its ether.',
  },
  'lease-unheld': {
    status: 'fault', title: 'No gateway writes for a relayer key', cause: 'Messages are pending, but no process has held the lease of the key for more than 30 seconds.',
    remedy: 'Start vouch serve with this key. If a gateway with this key runs, its log names the lease and the reason why the gateway does not take the lease, in most cases because no RPC endpoint answers.',
  },
  'lease-lost': {
    status: 'warning', title: 'The writer of a relayer key changes repeatedly', cause: 'The lease was lost at least three times within ten minutes.',
    remedy: 'Compare the logs of the gateways: a process loses its lease if it cannot reach the chain or PostgreSQL for 7 s, or if its machine is suspended. Each message is still sent exactly once, but later.',
  },
  'key-shared': {
    status: 'fault', title: 'Two deployments share a relayer key', cause: 'A key has one nonce sequence per chain, so only one of two deployments on the same chain sends with the key.',
    remedy: 'Give each deployment on a chain its own relayer keys.',
  },
  'domain-shared': {
    status: 'warning', title: 'Two deployments have the same signing domain', cause: 'A message that is signed for one of them is also valid at the other.',
    remedy: 'Deploy the contracts of a chain with different domain versions.',
  },
  'budget-nearly-used': {
    status: 'warning', title: 'A gas budget is nearly used', cause: 'More than 80 % of the total of the day for one kind of message is used or reserved. Beyond the total, messages of this kind get `quota`.',
    remedy: 'Find the signers that use the budget (vouch gateway budgets). Deny these signers (vouch gateway deny), or raise the budget (vouch gateway budget).',
  },
  'maintenance-budget-nearly-used': {
    status: 'warning', title: 'A budget of transactions without a message is nearly used', cause: 'More than 80 % of the gas of the day for reports of days, random words or conclusions is used.',
    remedy: 'Raise the budget (vouch gateway budget keeper).',
  },
  'keeper-disabled': {
    status: 'warning', title: 'The gateway does not report days of nodes', cause: '`VOUCH_KEEPER` is false. A node earns nothing for a day that nobody reports.',
    remedy: 'Set VOUCH_KEEPER=true, unless another program reports the days: a node earns nothing for a day that is not reported.',
  },
  'day-lost': {
    status: 'warning', title: 'A day of active nodes was not credited', cause: 'The gateway did not run, its relayer key was paused or had too little ether, no RPC endpoint answered, or the reports were in vain. The day is lost.',
    remedy: 'Check the log of that day, and GET /gateway/batches.',
  },
});
