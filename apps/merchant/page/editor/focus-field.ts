/** A field may have to be drawn first: on another page of lines, or in a section that opens. */
const maxFrames = 300;

/** Sets the focus on a field as soon as it is shown, unless the user has gone to another one. Returns what ends the wait. */
export function focusField(name: string): () => void {
  const before = document.activeElement;
  let frame = 0;
  let framesLeft = maxFrames;
  const look = (): void => {
    const focused = document.activeElement;
    const isElsewhere = focused !== before && focused?.matches('input, textarea, select');
    if (isElsewhere || framesLeft-- === 0) return;
    const field = document.getElementsByName(name)[0];
    field?.focus();
    if (document.activeElement !== field) frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}
