import './bulk.css';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { maxFileBytes } from '../../contract/bulk-limits.ts';
import type { BulkList } from '../../contract/bulk-view.ts';
import { foldBulks, postFile } from '../api/bulks.ts';
import { Icon } from '../icon.tsx';
import { bulkWords } from '../words/bulk.ts';

const words = bulkWords.drop;

/** Takes a file that is dropped on it, or chosen; leads to what was read of it. */
export function DropZone() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isOver, setIsOver] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const { mutate, reset, variables, isPending, error } = useMutation({
    mutationFn: postFile,
    onSuccess: (bulk) => {
      client.setQueryData(['bulk', bulk.id], bulk);
      client.setQueryData<BulkList>(['bulks'], (before) => before && foldBulks(before, bulk));
      navigate(`/bulk/${bulk.id}`);
    },
  });

  function take(files: readonly File[]): void {
    const [file] = files;
    reset();
    setRefusal(refusalOf(files));
    if (file && !isPending && refusalOf(files) === undefined) mutate(file);
  }

  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    take([...event.dataTransfer.files]);
  }

  const said = refusal ?? error?.message;
  return (
    <section className="bulk-section">
      <label
        className="drop"
        data-over={isOver || undefined}
        data-busy={isPending || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
      >
        <span className="drop-mark">
          <Icon name="upload" size={24} />
        </span>
        <span className="drop-title">
          {isPending ? words.reading(variables.name) : isOver ? words.over : words.title}
        </span>
        <span className="drop-choose">{words.choose}</span>
        <input
          className="drop-input"
          type="file"
          accept=".csv,.ndjson,.jsonl,.txt,text/csv,application/x-ndjson"
          onChange={({ currentTarget }) => {
            take([...(currentTarget.files ?? [])]);
            // The same file, mended, may be chosen again.
            currentTarget.value = '';
          }}
        />
        <span className="drop-limits">{words.limits}</span>
      </label>
      <div role="alert">
        {said !== undefined && (
          <p className="bulk-problem">
            <Icon name="warning" />
            <span>
              {variables && refusal === undefined && <strong>{words.failed(variables.name)}. </strong>}
              {said}
            </span>
          </p>
        )}
      </div>
    </section>
  );
}

/** Why files are not even handed to the desk. */
function refusalOf(files: readonly File[]): string | undefined {
  const [file, another] = files;
  if (!file) return words.nothing;
  if (another) return words.tooMany;
  return file.size > maxFileBytes ? words.tooLarge : undefined;
}
