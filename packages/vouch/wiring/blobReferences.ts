import { jobBlobReferences } from '@vouch/platform/jobs/jobState';
import { products } from './products.ts';

/** SQL that names every blob that is still wanted; also what a backup copies. */
export const blobReferences: readonly string[] = [jobBlobReferences, ...products.map((product) => product.blobReferences)];
