import { jobBlobReferences } from '@vouch/platform/jobs/jobState';
import { products } from './products.ts';

/** SQL queries for the names of all blobs in use. Blob collection keeps these blobs, and a backup copies them. */
export const blobReferences: readonly string[] = [jobBlobReferences, ...products.map((product) => product.blobReferences)];
