import '../app.css';
import { CopyText } from './copy-text.tsx';

export interface CodeBlockProps {
  readonly title: string;
  readonly text: string;
  /** What the button that copies the text says; without it there is none. */
  readonly copy?: string;
}

/** Text of a machine under its title, to read and to copy. */
export function CodeBlock({ title, text, copy }: CodeBlockProps) {
  return (
    <div className="code-block">
      <div className="code-block-head">
        <p className="code-block-title">{title}</p>
        {copy !== undefined && <CopyText text={text} label={copy} />}
      </div>
      <Code text={text} />
    </div>
  );
}

/** Text of a machine, set as it is. */
export function Code({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <pre className="code-block-text" tabIndex={0}>
      {text}
    </pre>
  );
}
