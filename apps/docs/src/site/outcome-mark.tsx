import { type OutcomeName, outcomes } from './outcomes.ts';

/** The drawing of an outcome, beside a text that says the same. */
export function OutcomeMark({ name }: { readonly name: OutcomeName }) {
  return (
    <span class={`outcome-mark outcome-${name}`}>
      <svg aria-hidden="true" viewBox="0 0 24 24" width="16" height="16">
        <path d={outcomes.find((outcome) => outcome.name === name)?.drawing} />
      </svg>
    </span>
  );
}
