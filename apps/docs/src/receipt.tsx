import './receipt.css';

const attempts = [
  ['0.00 s', 'connection refused', 'not_sent'],
  ['0.71 s', '429, Retry-After: 1', 'rejected'],
  ['1.74 s', '200', 'applied'],
] as const;

/** What the client reports of an update, as the picture of the home page. */
export function Receipt() {
  return (
    <div class="receipt-shadow">
      <div class="receipt">
        <p>
          <strong>PATCH /v2/orders/…7f3a</strong>
          <br />
          order A-1001, 236 bytes
        </p>
        <ol aria-label="Three attempts of one update">
          {attempts.map(([time, what, outcome]) => (
            <li key={time}>
              <span>{time}</span> {what} <code class={`outcome ${outcome}`}>{outcome}</code>
            </li>
          ))}
        </ol>
        <p>
          <code class="outcome applied">applied</code> after 3 attempts
        </p>
      </div>
    </div>
  );
}
