import { useCallback, useState } from 'react';

/** Says what changed to those who do not see it. */
export function useAnnouncer() {
  const [said, setSaid] = useState({ text: '', count: 0 });
  const announce = useCallback((text: string) => setSaid(({ count }) => ({ text, count: count + 1 })), []);
  return { said, announce };
}

/** Where it is said. The same words said twice are other words, or they would not be heard. */
export function Announcer({ said }: { readonly said: { readonly text: string; readonly count: number } }) {
  return (
    <p className="for-ears" aria-live="polite">
      {said.text}
      {said.count % 2 === 1 && '\u00a0'}
    </p>
  );
}
