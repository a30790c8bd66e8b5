import './outcomes.css';
import { outcomes } from './outcomes.ts';

/** An outcome inside a text or a table, in its colour. */
export function OutcomeWord({ is }: { readonly is: (typeof outcomes)[number]['title'] }) {
  const { name } = outcomes.find(({ title }) => title === is) ?? outcomes[0];
  return <code class={`outcome-word outcome-${name}`}>{is}</code>;
}
