import './outcomes.css';
import { OutcomeMark } from './outcome-mark.tsx';
import { outcomes } from './outcomes.ts';

/** What each outcome means, and what it asks of the reader. */
export function OutcomeLegend() {
  return (
    <dl class="outcome-legend">
      {outcomes.map(({ name, title, text, next }) => (
        <div key={name} class={`outcome-card outcome-${name}`}>
          <dt>
            <OutcomeMark name={name} />
            <code>{title}</code>
          </dt>
          <dd>
            {text} <span class="outcome-next">{next}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
