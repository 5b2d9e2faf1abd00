import { useState } from 'preact/hooks';
import { call, toFault, type Fault } from '../api/call.ts';
import { upload } from '../api/upload.ts';
import { FaultNote } from '../parts/parts.tsx';
import { percent } from '../parts/words.ts';

const name = 'sample';
const files = ['entities.csv', 'interactions.csv'];

/** Uploads the generated film library through the public interface, and starts a training. */
export function LoadSample({ started }: { started: () => void }) {
  const [step, setStep] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const begin = async (): Promise<void> => {
    setFault(null);
    setStep('Generating…');
    try {
      const form = new FormData();
      form.append('tags', name);
      for (const file of files) form.append('files', await (await fetch(`/console/sample/${file}`)).blob(), file);
      await upload('/v1/recommender/data_batch', form, (part) => setStep(`Uploading ${percent(part)}`)).done;
      await call('/v1/recommender/train', { method: 'POST', body: { model_id: name, data_tags: [name] } });
      started();
    } catch (error) {
      setFault(toFault(error));
    }
    setStep(null);
  };
  return (
    <>
      <button type="button" disabled={step !== null} onClick={() => void begin()}>{step ?? 'Load the sample films'}</button>
      {fault !== null && <FaultNote fault={fault} />}
    </>
  );
}
