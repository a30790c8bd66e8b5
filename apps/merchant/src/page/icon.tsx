const shapes = {
  cart: 'M3 4h2.2l2 11.2a1.6 1.6 0 0 0 1.6 1.3h8a1.6 1.6 0 0 0 1.6-1.2L20 8H6 M9.5 20.2v.1 M16.5 20.2v.1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  copy: 'M9 9h10v10H9z M5 15V5h10',
  cross: 'M6 6l12 12 M18 6L6 18',
  pause: 'M9 6v12 M15 6v12',
  plus: 'M12 5v14 M5 12h14',
  question: 'M8 8.2a4 4 0 1 1 5.9 3.5c-1.3.7-1.9 1.4-1.9 2.9 M12 19v.1',
  send: 'M4 12L20 4l-5 16-3.5-6.5z M11.5 13.5L20 4',
  trash: 'M4 7h16 M10 11v6 M14 11v6 M6 7l1 13h10l1-13 M9 7V4h6v3',
  warning: 'M12 4L2.8 20h18.4z M12 10v4.5 M12 17.3v.1',
} as const;

export type IconName = keyof typeof shapes;

/** A line drawing beside a text that says the same. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
