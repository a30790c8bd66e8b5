/** A text as it may be shown in a terminal: what another machine said may hold what a terminal would obey. */
export function plainly(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}
