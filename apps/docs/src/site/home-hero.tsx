import './home.css';
import './outcomes.css';
import { withBase } from 'vitepress';
import { OutcomeMark } from './outcome-mark.tsx';
import type { OutcomeName } from './outcomes.ts';

interface PrintedAttempt {
  readonly time: string;
  readonly what: string;
  readonly outcome: OutcomeName;
  readonly word: string;
}

const attempts: readonly PrintedAttempt[] = [
  { time: '0.00 s', what: 'connection refused', outcome: 'not-sent', word: 'not_sent' },
  { time: '0.71 s', what: '429, Retry-After: 1', outcome: 'rejected', word: 'rejected' },
  { time: '1.74 s', what: '200', outcome: 'applied', word: 'applied' },
];

/** The head of the home page: what the packages promise, and a receipt that shows it. */
export function HomeHero() {
  return (
    <div class="home-hero">
      <div class="home-words">
        <h1>
          Know the outcome of <em>every</em> update.
        </h1>
        <p>
          TypeScript packages that update orders at a payment service. They validate an update before it is
          sent, name each invalid field and what to write instead, and report whether the update was applied.
        </p>
        <p class="home-actions">
          <a class="home-button home-button-main" href={withBase('/getting-started.html')}>
            Get started
          </a>
          <a class="home-button" href={withBase('/playground.html')}>
            Try the playground
          </a>
        </p>
      </div>
      <Receipt />
    </div>
  );
}

function Receipt() {
  return (
    <div class="home-receipt-shadow">
      <div class="home-receipt">
        <p class="home-receipt-title">PATCH /v2/orders/…7f3a</p>
        <p class="home-receipt-note">order A-1001, 236 bytes</p>
        <ol class="home-attempts" aria-label="Three attempts of one update">
          {attempts.map(({ time, what, outcome, word }) => (
            <li key={time}>
              <span class="home-attempt-time">{time}</span>
              <span class="home-attempt-what">{what}</span>
              <span class={`home-attempt-word outcome-${outcome}`}>{word}</span>
            </li>
          ))}
        </ol>
        <p class="home-receipt-sum">
          <OutcomeMark name="applied" />
          <strong>applied</strong>
          <span>after 3 attempts</span>
        </p>
      </div>
    </div>
  );
}
