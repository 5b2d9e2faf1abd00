/** Hashes of the events that a node listens to, by the keys that may replace them. */
export const eventTopics = {
  /** TeeReportAttestations(address,bytes32[],string[],uint256) */
  topic1: '0x89a3b784b99180438f3b2027aa89e97c3c3ed66e8dc78a555d7013b39caf1a89',
  /** ConfirmVrfNodes(uint256,uint32[],uint256) */
  topic2: '0x455929120054502ca2ea8194b26e7bb3acb631d30177f6881ffa70581abd4a13',
  /** NodeClear(address) */
  topic3: '0x8a0859fa4a2e331800d512db6925d210facda82733207cb9fe49e7da954fc4aa',
} as const;
