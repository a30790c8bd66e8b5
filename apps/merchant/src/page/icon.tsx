const shapes = {
  back: 'M11 5l-7 7 7 7 M4.5 12H20',
  cart: 'M3 4h2.2l2 11.2a1.6 1.6 0 0 0 1.6 1.3h8a1.6 1.6 0 0 0 1.6-1.2L20 8H6 M9.5 20.2v.1 M16.5 20.2v.1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M9 5l7 7-7 7',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17 M12 7.5V12l3 2',
  copy: 'M9 9h10v10H9z M5 15V5h10',
  cross: 'M6 6l12 12 M18 6L6 18',
  dots: 'M5 12v.1 M12 12v.1 M19 12v.1',
  down: 'M12 5v14 M6 13l6 6 6-6',
  download: 'M12 4v11 M7 10.5l5 5 5-5 M5 20h14',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6',
  file: 'M6 3h8l4 4v14H6z M14 3v4h4',
  grip: 'M9 6v.1 M15 6v.1 M9 12v.1 M15 12v.1 M9 18v.1 M15 18v.1',
  inbox: 'M3 13h5l1.5 3h5L16 13h5 M5.5 5h13L21 13v6H3v-6z',
  keyboard: 'M3 6h18v12H3z M7 10v.1 M11 10v.1 M15 10v.1 M8 14h8',
  list: 'M8 6h12 M8 12h12 M8 18h12 M4 6v.1 M4 12v.1 M4 18v.1',
  moon: 'M20 14.2A8.2 8.2 0 0 1 9.8 4 8.3 8.3 0 1 0 20 14.2z',
  pause: 'M9 6v12 M15 6v12',
  plug: 'M9 3v5 M15 3v5 M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0z M12 17v4',
  plus: 'M12 5v14 M5 12h14',
  question: 'M8 8.2a4 4 0 1 1 5.9 3.5c-1.3.7-1.9 1.4-1.9 2.9 M12 19v.1',
  repeat: 'M4 11a8 8 0 0 1 13.7-4.7L20 8.5 M20 4v4.5h-4.5 M20 13a8 8 0 0 1-13.7 4.7L4 15.5 M4 20v-4.5h4.5',
  scan: 'M4 8V4h4 M16 4h4v4 M20 16v4h-4 M8 20H4v-4 M8 8h3v3H8z M14 14h2v2h-2z M14 8h2 M8 14v2',
  screen: 'M3 5h18v11H3z M9 20h6 M12 16v4',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13 M15.3 15.3L20 20',
  send: 'M4 12L20 4l-5 16-3.5-6.5z M11.5 13.5L20 4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8 M12 2.5v2 M12 19.5v2 M2.5 12h2 M19.5 12h2 M5.3 5.3l1.4 1.4 M17.3 17.3l1.4 1.4 M5.3 18.7l1.4-1.4 M17.3 6.7l1.4-1.4',
  switches:
    'M4 7h9 M19 7h1 M4 17h1 M11 17h9 M16 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5 M8 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
  trash: 'M4 7h16 M10 11v6 M14 11v6 M6 7l1 13h10l1-13 M9 7V4h6v3',
  up: 'M12 19V5 M6 11l6-6 6 6',
  upload: 'M12 20V9 M7 13l5-5 5 5 M5 4h14',
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
