import './playground.css';
import { type Explanation, explain, OrderUpdate } from '@orders/schema';
import { computed, defineComponent, onMounted, ref } from 'vue';
import { examples } from './playground-examples.ts';

type Report =
  | { readonly state: 'applied' | 'rejected' | 'not_sent'; readonly title: string; readonly text?: string }
  | { readonly state: 'rejected'; readonly title: string; readonly issues: readonly Explanation[] };

/** A longer text would block the page while it is validated. */
const maxLength = 1_000_000;

/** A body, and the issues that the schema finds in it, as it is typed. */
export const Playground = defineComponent(() => {
  // A mistake shows better what the page does than a valid body.
  const text = ref(examples['Misplaced hooks'] ?? '');
  const report = computed(() => validate(text.value));
  const textarea = ref<HTMLTextAreaElement>();
  const isReady = ref(false);
  onMounted(() => {
    // The page shows before its script runs, and somebody may have typed already.
    text.value = textarea.value?.value ?? text.value;
    isReady.value = true;
  });

  return () => (
    <div class="playground">
      <fieldset>
        <legend>Examples:</legend>
        {Object.entries(examples).map(([title, example]) => (
          <button
            type="button"
            key={title}
            disabled={!isReady.value}
            aria-pressed={text.value === example}
            onClick={() => {
              text.value = example;
            }}
          >
            {title}
          </button>
        ))}
      </fieldset>
      <textarea
        ref={textarea}
        aria-label="Body of an order update, as JSON"
        value={text.value}
        rows={20}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={(event: Event) => {
          text.value = (event.target as HTMLTextAreaElement).value;
        }}
      />
      <section aria-label="Result" aria-live="polite">
        <ReportView report={report.value} />
      </section>
    </div>
  );
});

function ReportView({ report }: { readonly report: Report }) {
  return (
    <div>
      <p class={`outcome ${report.state}`}>{report.title}</p>
      {'issues' in report ? (
        <ol>
          {report.issues.slice(0, 100).map(({ path, code, message, hint }, index) => (
            <li key={index}>
              <code>{path || 'the body'}</code> <small>{code}</small>
              <br />
              {message}
              <br />
              <strong>{hint}</strong>
            </li>
          ))}
        </ol>
      ) : (
        <p>{report.text}</p>
      )}
    </div>
  );
}

function validate(text: string): Report {
  if (text.trim() === '') return { state: 'not_sent', title: 'Paste a body, or choose an example' };
  if (text.length > maxLength)
    return { state: 'rejected', title: 'Too long for this page', text: 'Use the schema itself.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { state: 'rejected', title: 'Not valid JSON', text: (error as Error).message };
  }
  const { data, error } = OrderUpdate.safeParse(value);
  if (!error) {
    const bytes = new TextEncoder().encode(JSON.stringify(data)).byteLength;
    return { state: 'applied', title: 'Valid', text: `The client would send ${bytes} bytes.` };
  }
  const issues = explain(error);
  return { state: 'rejected', title: `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}`, issues };
}
