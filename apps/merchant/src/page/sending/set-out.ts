/** JSON text set out over lines; text of another kind as it is. */
export function setOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
