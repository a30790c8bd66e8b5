import { computed, defineComponent, onMounted, ref } from 'vue';
import type { Place } from './read-json.ts';

/** What the page can ask of the editor. */
export interface EditorHandle {
  /** Shows and selects a part of the text. */
  readonly select: (place: Place) => void;
}

interface Props {
  readonly text: string;
  /** Where something is to be said. */
  readonly places: readonly Place[];
  readonly onEdit: (text: string) => void;
  readonly onReady: (handle: EditorHandle) => void;
}

/** A text field with line numbers, which mark the lines that something is to be said of. */
export const BodyEditor = defineComponent(
  (props: Props) => {
    const field = ref<HTMLTextAreaElement>();
    const scrolled = ref(0);
    const lineCount = computed(() => props.text.split('\n').length);
    // More would be slow to draw, and nobody counts so far.
    const lines = computed(() => Array.from({ length: Math.min(lineCount.value, 5_000) }, (_, at) => at + 1));
    const marked = computed(() => new Set(props.places.map(({ line }) => line)));

    const select = ({ offset, length, line }: Place): void => {
      const area = field.value;
      if (!area) return;
      area.focus({ preventScroll: true });
      area.setSelectionRange(offset, offset + Math.max(1, length));
      const lineHeight = area.scrollHeight / lineCount.value;
      area.scrollTop = Math.max(0, (line - 3) * lineHeight);
      area.scrollIntoView({ block: 'nearest' });
    };
    onMounted(() => props.onReady({ select }));

    return () => (
      <div class="playground-editor">
        <ol aria-hidden="true" style={{ transform: `translateY(${-scrolled.value}px)` }}>
          {lines.value.map((line) => (
            <li key={line} class={marked.value.has(line) ? 'marked' : ''}>
              {line}
            </li>
          ))}
        </ol>
        <textarea
          ref={field}
          aria-label="Body of an order update, as JSON"
          value={props.text}
          rows={18}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          onInput={(event: Event) => props.onEdit((event.target as HTMLTextAreaElement).value)}
          onScroll={(event: Event) => {
            scrolled.value = (event.target as HTMLTextAreaElement).scrollTop;
          }}
        />
      </div>
    );
  },
  { props: ['text', 'places', 'onEdit', 'onReady'] },
);
