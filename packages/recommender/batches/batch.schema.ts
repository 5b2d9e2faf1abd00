import { tagList } from '@vouch/platform/http/parameters';
import { Type, type Static } from 'typebox';

export const BatchRecord = Type.Object(
  {
    batch_id: Type.String({ description: 'Identifier assigned at the upload.' }),
    timestamp: Type.String({ description: 'Time of the upload, ISO 8601.' }),
    tags: Type.Array(Type.String(), { description: 'Labels given at the upload.' }),
    entity_count: Type.Integer({ description: 'Rows of an entity file, else 0.' }),
    interaction_count: Type.Integer({ description: 'Number of rows of an interaction file; 0 for an entity file.' }),
  },
  { title: 'Batch', examples: [{ batch_id: '7f0c8a52-1d3e-4b6a-9c0f-5e2d3f6a1c7b', timestamp: '2026-03-02T09:30:00.000Z', tags: ['films'], entity_count: 400, interaction_count: 0 }], description: 'Record of one uploaded file.' },
);
export type BatchRecord = Static<typeof BatchRecord>;

export const batchIdParameter = Type.String({
  minLength: 1, maxLength: 128, description: 'The id that the upload returned.',
});

export const batchTagsParameter = tagList('Selects the batches that have all of these tags.');

/**
 * Maximum number of files per request, because each file needs a process for a time. The first extra file ends the request,
 * even if other files are already converted.
 */
export const maxFiles = 32;

/** The upload form in the API description; `parseUpload` reads the form part by part. */
export const UploadForm = Type.Object({
  files: Type.Array(Type.String({ format: 'binary' }), {
    minItems: 1, maxItems: maxFiles, description: 'CSV files of entities or interactions, plain or gzip.',
  }),
  // Empty by default, because the try-it page would otherwise send its placeholder as a label.
  tags: Type.Optional({ ...tagList('Labels of every batch of this request: one or more labels separated by commas, or repeated fields.'), default: [] }),
}, { title: 'UploadRequest' });
