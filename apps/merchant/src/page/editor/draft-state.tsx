import type { DraftState as Draft } from '../form/draft-keeper.ts';
import { Icon } from '../icon.tsx';
import { editorWords } from '../words/editor.ts';

/** How what was typed is kept: quietly, in one place, always of the same height. */
export function DraftState({ state }: { readonly state: Draft }) {
  const { failed, ...words } = editorWords.draft;
  return (
    <p className="editor-draft" data-kind={state.kind} aria-live={state.kind === 'failed' ? 'polite' : 'off'}>
      {state.kind === 'failed' && <Icon name="warning" size={14} />}
      {state.kind === 'saved' && <Icon name="check" size={14} />}
      {state.kind === 'failed' ? failed(state.why) : words[state.kind]}
    </p>
  );
}
