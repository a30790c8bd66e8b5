import { maxFileBytes } from '../contract/bulk-limits.ts';

/** The longest row that is read, and the largest update that is kept, in bytes. */
export const maxRowBytes = 1_048_576;

/** The most that is kept of one file, in characters: long column names can make many of few. */
export const maxKeptCharacters = 4 * maxFileBytes;

/** The most issues that are kept of one row: the first ones are enough to begin with. */
export const maxIssuesOfRow = 20;
