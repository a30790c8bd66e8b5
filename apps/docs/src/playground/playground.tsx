import './playground.css';
import { computed, defineComponent, reactive, ref, shallowRef } from 'vue';
import { BodyEditor, type EditorHandle } from './body-editor.tsx';
import { type Example, examples } from './examples.ts';
import { explainBody } from './explain-body.ts';
import { NamesForm } from './names-form.tsx';
import { nameSchema, noNames, type OwnNames } from './own-names.ts';
import type { Place } from './read-json.ts';
import { ReportView } from './report-view.tsx';

/** A body on the left, what is to be said of it on the right, and the names that a reader gives below. */
export const Playground = defineComponent(() => {
  // A mistake shows better what the page does than a body that passes.
  const [, first] = examples;
  const text = ref(first?.text ?? '');
  const names = reactive<{ -readonly [Name in keyof OwnNames]: string }>({ ...noNames });
  const picked = shallowRef<Example | undefined>(first);
  const isNaming = ref(false);
  const editor = shallowRef<EditorHandle>();

  const named = computed(() => nameSchema(names));
  const report = computed(() =>
    'schema' in named.value ? explainBody(text.value, named.value.schema) : undefined,
  );
  const places = computed((): readonly Place[] => {
    const told = report.value;
    if (told?.state === 'refused') return told.issues.map(({ place }) => place);
    return told?.state === 'broken' ? [told.place] : [];
  });

  const pick = (example: Example): void => {
    picked.value = example;
    text.value = example.text;
    Object.assign(names, noNames, example.names);
    if (example.names) isNaming.value = true;
  };
  const edit = (typed: string): void => {
    picked.value = undefined;
    text.value = typed;
  };

  return () => (
    <div class="playground">
      <fieldset class="playground-examples">
        <legend>Mistakes that are made again and again:</legend>
        {examples.map((example) => (
          <button
            type="button"
            key={example.title}
            aria-pressed={picked.value === example}
            onClick={() => pick(example)}
          >
            {example.title}
          </button>
        ))}
      </fieldset>
      <div class="playground-columns">
        <BodyEditor
          text={text.value}
          places={places.value}
          onEdit={edit}
          onReady={(handle: EditorHandle) => {
            editor.value = handle;
          }}
        />
        <ReportView
          report={report.value}
          mistake={'mistake' in named.value ? named.value.mistake : undefined}
          onShow={(place: Place) => editor.value?.select(place)}
        />
      </div>
      <NamesForm
        names={names}
        isOpen={isNaming.value}
        onOpen={(isOpen: boolean) => {
          isNaming.value = isOpen;
        }}
        onName={(key: keyof OwnNames, name: string) => {
          names[key] = name;
        }}
      />
    </div>
  );
});
