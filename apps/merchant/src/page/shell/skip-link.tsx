import './shell.css';
import { shellWords } from '../words/shell.ts';

/** The id of what the skip link leads to. */
export const contentId = 'content';

/** The first stop of the keyboard: past the header, to the view. */
export function SkipLink() {
  return (
    <a
      className="skip-link"
      href={`#${contentId}`}
      onClick={(event) => {
        // The address is the router's; the content alone takes the focus.
        event.preventDefault();
        document.getElementById(contentId)?.focus();
      }}
    >
      {shellWords.skip}
    </a>
  );
}
