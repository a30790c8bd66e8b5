/** What the built page holds where it is told what sends the updates of the desk. */
export const sendsThroughPlaceholder = 'SENDS-THROUGH';
