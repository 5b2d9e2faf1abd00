import { useEffect, useRef, useState } from 'preact/hooks';
import { toFault, type Fault } from './call.ts';

export interface Loaded<Value> {
  /** The newest value; null until the first answer. A later failure keeps the value. */
  value: Value | null;
  fault: Fault | null;
  loading: boolean;
  reload(): void;
}

const longestPauseMs = 15_000;

/**
 * Loads a value when the key changes, and again after `everyMs` while the page is visible.
 * @param load called with a signal that aborts when the key changes or the page closes
 * @param everyMs 0 to load once; after failures, the pause grows to 15 s
 */
export function useLoad<Value>(key: string, load: (stop: AbortSignal) => Promise<Value>, everyMs: (value: Value | null) => number = () => 0): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value: Value | null; fault: Fault | null; loading: boolean }>({ key, value: null, fault: null, loading: true });
  const [round, setRound] = useState(0);
  const latest = useRef({ load, everyMs });
  latest.current = { load, everyMs };
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const again = (ms: number): void => { if (ms > 0 && !stop.signal.aborted) timer = setTimeout(() => void run(), ms); };
    async function run(): Promise<void> {
      if (document.hidden) return again(latest.current.everyMs(null) || 1_000);
      try {
        const value = await latest.current.load(stop.signal);
        failures = 0;
        if (stop.signal.aborted) return;
        setState({ key, value, fault: null, loading: false });
        again(latest.current.everyMs(value));
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        const fault = toFault(error);
        setState((before) => ({ key, value: before.key === key ? before.value : null, fault, loading: false }));
        if (fault.status === 0 || fault.status >= 500) again(Math.min(longestPauseMs, 1_000 * 2 ** failures));
      }
    }
    setState((before) => ({ key, value: before.key === key ? before.value : null, fault: null, loading: true }));
    void run();
    return () => { stop.abort(); clearTimeout(timer); };
  }, [key, round]);
  const current = state.key === key ? state : { value: null, fault: null, loading: true };
  return { value: current.value, fault: current.fault, loading: current.loading, reload: () => setRound((at) => at + 1) };
}
