import { gatewayConformance } from '@vouch/gateway/conformance/rows';
import type { ConformanceSuite } from '@vouch/platform/conformance/context';
import { recommenderConformance } from '@vouch/recommender/conformance/rows';
import { verifierConformance } from '@vouch/verifier/conformance/nodeRows';
import { videoConformance } from '@vouch/video/conformance/rows';

/** Conformance checks of all products and of the verifier node. */
export const suites: readonly ConformanceSuite[] = [recommenderConformance, videoConformance, gatewayConformance, verifierConformance];
