/** Columns of a panel, and bytes of one of its rows. */
export const width: usize = 32;
export const rowBytes: usize = 128;
