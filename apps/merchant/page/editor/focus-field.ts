/** A field may have to be drawn first: on another page of lines, or in a section that opens. */
const patienceMs = 5_000;

/** Sets the focus on a field as soon as it is shown. Returns what ends the wait. */
export function focusField(name: string): () => void {
  const endsAt = performance.now() + patienceMs;
  let frame = 0;
  const look = (): void => {
    const field = document.getElementsByName(name)[0];
    field?.focus();
    if (document.activeElement !== field && performance.now() < endsAt) frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}
