/** The child's side of the channel that `startNodeChild` opens. */

/** Sends a JSON message to the parent; resolves when it was handed over, so that an exit cannot lose it. */
export function tellParent(message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('this program is started by vouch, not by hand'));
    process.send(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}

/** Hears each message of the parent until `hangUp`; the open channel keeps the child alive. */
export function hearParent(heard: (message: unknown) => void): void {
  process.on('message', heard);
}

/** Closes the channel, so that the child ends by itself when its work is done. */
export function hangUp(): void {
  if (process.connected) process.disconnect();
}
