import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';

/** A menu or a dialog that is loaded when it is first opened: most visits end without it. */
export function useLazyOverlay<Overlay>(load: () => Promise<Overlay>) {
  const [Overlay, setOverlay] = useState<Overlay>();
  const [isOpen, setOpen] = useState(false);
  // It opens once it is there: only then does it note the focus, which returns when it closes.
  useEffect(() => setOpen(Overlay !== undefined), [Overlay]);
  const open = (): void => {
    setOpen(Overlay !== undefined);
    load().then(
      (loaded) => setOverlay(() => loaded),
      () => notifications.show({ color: 'red', message: 'This cannot be loaded. Reload the page.' }),
    );
  };
  return { Overlay, isOpen, open, setOpen };
}
