/**
 * SQL condition on a request `r`: a later change of the same signer is in a transaction, so that `r` would take effect after this change if it was sent
 * again. Reports do not depend on each other.
 */
export const isOvertaken = `r.kind <> 'report' and exists (
  select from gateway_requests later where later.deployment = r.deployment and later.signer = r.signer and later.kind <> 'report'
    and later.sequence > r.sequence and later.state in ('batched', 'sent', 'mined', 'confirmed'))`;
