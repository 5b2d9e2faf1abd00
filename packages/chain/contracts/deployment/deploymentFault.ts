/** `input`: a file is unusable. `state`: chain and record contradict each other. `chain`: the chain currently does not respond as needed. */
export type DeploymentFaultKind = 'input' | 'state' | 'chain';

/** Thrown if a deployment cannot be made, continued or read. The message is a sentence with the fix. */
export class DeploymentFault extends Error {
  override readonly name = 'DeploymentFault';
  readonly kind: DeploymentFaultKind;

  constructor(kind: DeploymentFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
