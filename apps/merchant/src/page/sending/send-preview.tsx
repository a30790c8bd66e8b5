import './preview.css';
import { ActionIcon, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef } from 'react';
import { UpdateReport } from '../../contract/update-report.ts';
import { prepareUpdate } from '../api/orders.ts';
import { DeskProblem } from '../api/request.ts';
import { Icon } from '../icon.tsx';
import { sendingWords } from '../words/sending.ts';
import { PreparedRequest } from './prepared-request.tsx';

export interface SendPreviewProps {
  readonly token: string;
  /** The update as the form says it. */
  readonly update: unknown;
  readonly onClose: () => void;
}

/** Shows beforehand what will be sent, as the desk's server prepares it; Escape and a click beside it close it. */
export function SendPreview({ token, update, onClose }: SendPreviewProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const { data, error } = useQuery({
    queryKey: ['prepared', token, update],
    queryFn: () => prepareUpdate(token, update),
    gcTime: 0,
  });
  useEffect(() => dialog.current?.showModal(), []);
  const { title, close } = sendingWords.preview;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes a dialog by Escape, which the browser sees to.
    <dialog
      ref={dialog}
      className="preview"
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className="preview-sheet">
        <div className="preview-head">
          <h2 className="preview-title" id={titleId}>
            {title}
          </h2>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={close}
            onClick={() => dialog.current?.close()}
          >
            <Icon name="cross" />
          </ActionIcon>
        </div>
        {data ? <PreparedRequest prepared={data} /> : error ? <Failure error={error} /> : <Loading />}
      </div>
    </dialog>
  );
}

function Loading() {
  return (
    <div className="preview-body" aria-busy="true" role="status">
      <span className="for-ears">{sendingWords.preview.loading}</span>
      <Skeleton height={120} />
      <Skeleton height={240} />
    </div>
  );
}

function Failure({ error }: { readonly error: Error }) {
  const { invalid, invalidText, failed } = sendingWords.preview;
  const report = error instanceof DeskProblem ? UpdateReport.safeParse(error.body).data : undefined;
  const issues = report?.error?.issues ?? [];
  return (
    <div className="preview-body" role="status">
      <p className="preview-problem">
        <Icon name="warning" size={18} />
        {issues.length > 0 ? invalid : failed}
      </p>
      <p className="preview-note">{issues.length > 0 ? invalidText : error.message}</p>
      <ul className="preview-issues">
        {issues.map(({ path, code, message, hint }) => (
          <li key={`${path} ${code}`}>
            {path !== '' && <code>{path}</code>}
            <strong>{message}</strong>
            {hint !== undefined && <span>{hint}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
