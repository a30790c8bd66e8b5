import type { OwnNames } from './own-names.ts';

interface Props {
  readonly names: OwnNames;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onName: (key: keyof OwnNames, name: string) => void;
}

const fields: readonly { readonly key: keyof OwnNames; readonly label: string; readonly example: string }[] =
  [
    { key: 'totalAmount', label: 'Total amount', example: 'total' },
    { key: 'vatAmount', label: 'V.A.T. amount', example: 'vat' },
    { key: 'firstMetadata', label: 'First metadata string', example: 'meta_1' },
    { key: 'secondMetadata', label: 'Second metadata string', example: 'meta_2' },
    { key: 'qrSessionId', label: 'QR session', example: 'qr_session' },
    { key: 'currencies', label: 'Currencies', example: 'SEK NOK EUR' },
  ];

/** The names that the interface document leaves out, as `defineOrderUpdate` takes them. */
export function NamesForm({ names, isOpen, onOpen, onName }: Props) {
  return (
    <details
      class="playground-names"
      open={isOpen}
      onToggle={(event: Event) => onOpen((event.target as HTMLDetailsElement).open)}
    >
      <summary>Names of your own</summary>
      <p>
        The interface document describes these fields without showing their names. Give them yours, as{' '}
        <code>defineOrderUpdate</code> takes them, and they are checked, too.
      </p>
      <div class="playground-fields">
        {fields.map(({ key, label, example }) => (
          <label key={key}>
            <span>{label}</span>
            <input
              type="text"
              value={names[key]}
              placeholder={example}
              spellcheck={false}
              autocomplete="off"
              autocapitalize="off"
              onInput={(event: Event) => onName(key, (event.target as HTMLInputElement).value)}
            />
          </label>
        ))}
      </div>
    </details>
  );
}
