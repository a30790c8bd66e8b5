import './shell.css';
import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { Icon, type IconName } from '../icon.tsx';
import { shellWords } from '../words/shell.ts';

const schemes: readonly { readonly value: MantineColorScheme; readonly icon: IconName }[] = [
  { value: 'auto', icon: 'screen' },
  { value: 'light', icon: 'sun' },
  { value: 'dark', icon: 'moon' },
];

/** Chooses light or dark, or leaves it to the system; the browser remembers it. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl<MantineColorScheme>
      className="scheme"
      size="xs"
      aria-label={shellWords.scheme.label}
      value={colorScheme}
      onChange={setColorScheme}
      data={schemes.map(({ value, icon }) => ({
        value,
        label: (
          <span className="scheme-choice" title={shellWords.scheme[value]}>
            <Icon name={icon} size={15} />
            <span className="for-ears">{shellWords.scheme[value]}</span>
          </span>
        ),
      }))}
    />
  );
}
