import { useRef, useState } from 'preact/hooks';
import { toFault, type Fault } from './call.ts';

export interface Sending {
  busy: boolean;
  fault: Fault | null;
  /** Runs the work, and keeps its failure as `fault`. While work runs, does nothing, so that two clicks send one request. */
  send(work: () => Promise<unknown>): void;
}

/** One change at a time that a user asks for. */
export function useSend(): Sending {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  // A second click can come before the page has drawn `busy`.
  const under = useRef(false);
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    if (under.current) return;
    under.current = true;
    setBusy(true);
    setFault(null);
    try {
      await work();
    } catch (error) {
      setFault(toFault(error));
    }
    under.current = false;
    setBusy(false);
  };
  return { busy, fault, send: (work) => void run(work) };
}
