import './preview.css';
import type { PreparedView } from '../../contract/prepared-view.ts';
import { CodeBlock } from '../shell/code-block.tsx';
import { sendingWords } from '../words/sending.ts';
import { setOut } from './set-out.ts';

/** A request as it will leave: its lines, its body to read and to the byte, and the command that does the same. */
export function PreparedRequest({ prepared }: { readonly prepared: PreparedView }) {
  const { method, url, headers, body, bodyBytes, curl } = prepared;
  const { request, hidden, body: bodyTitle, exact, bytes, curl: curlTitle, ...rest } = sendingWords.preview;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="preview-body">
      <div>
        <CodeBlock title={request} text={[`${method} ${url}`, ...lines].join('\n')} />
        <p className="preview-note">{hidden}</p>
      </div>
      <CodeBlock title={`${bodyTitle} (${bytes(bodyBytes)})`} text={setOut(body)} />
      <CodeBlock title={exact} text={body} copy={rest.copyBody} />
      <div>
        <CodeBlock title={curlTitle} text={curl} copy={rest.copyCurl} />
        <p className="preview-note">{rest.curlHelp}</p>
      </div>
    </div>
  );
}
