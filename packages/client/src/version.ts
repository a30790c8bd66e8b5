/** The version of this package, as receipts show it; a test keeps it equal to package.json. */
export const version = '1.0.0-rc.0';
