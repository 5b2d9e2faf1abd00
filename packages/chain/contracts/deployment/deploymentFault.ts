/** `input`: a file cannot be used. `state`: chain and record do not fit. `chain`: the chain does not do its part now. */
export type DeploymentFaultKind = 'input' | 'state' | 'chain';

/** Why a deployment cannot be made, continued or read. The message is a sentence with what to do. */
export class DeploymentFault extends Error {
  override readonly name = 'DeploymentFault';
  readonly kind: DeploymentFaultKind;

  constructor(kind: DeploymentFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
