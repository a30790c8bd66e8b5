import './editor.css';
import { Skeleton } from '@mantine/core';

/** Where an order will stand, while the orders are on their way. */
export function EditorSkeleton() {
  return (
    <div className="editor-sheet editor-skeleton" aria-hidden="true">
      <Skeleton height={30} width={280} mt={2} />
      <Skeleton height={18} width={320} mb={4} />
      <Skeleton height={288} radius={12} />
      <Skeleton height={252} radius={12} />
    </div>
  );
}
